import { describe, expect, it } from "@effect/vitest"
import { endOfTurn, isBusy, turn } from "../../src/http/turn.ts"

describe("the server", () => {
  it("is busy while many answers leave in one turn of the event loop, and not for long after the last", async () => {
    expect(isBusy()).toBe(false)
    for (let answers = 0; answers < 8; answers++) void endOfTurn()
    await turn()
    expect(isBusy()).toBe(true)
    await Bun.sleep(60)
    expect(isBusy()).toBe(false)
    void endOfTurn()
    await turn()
    expect(isBusy()).toBe(false)
  })
})
