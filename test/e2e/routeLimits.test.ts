import { mkdtempSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import { request } from "../request.ts"
import { fakeUpstream } from "../upstreams/fakes/fakeUpstream.ts"
import { runCommand } from "./command.ts"
import { startGateway } from "../gatewayHere.ts"
import type { GatewayHere } from "../gatewayHere.ts"
import { calledModels } from "../../src/contract/kinds.ts"

/** What `slow` answers once it is let go. */
let held: Array<() => void> = []
const letGo = () => {
  for (const go of held) go()
  held = []
}
const slow = fakeUpstream("openai-chat", {
  answer: ({ text }) =>
    text.includes("hold")
      ? new Promise<undefined>((resolve) => held.push(() => resolve(undefined))).then(() => Response.json(answer))
      : undefined
})
const hanging = fakeUpstream("openai-chat", { hangAfter: 2 })
const spare = fakeUpstream("openai-chat")
const answer = {
  id: "x",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "late" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
}
let gateway: GatewayHere
const upstreams = {
  slow: { protocol: "openai-chat", base_url: `${slow.url}/v1`, queue_seconds: 0.2 },
  hanging: { protocol: "openai-chat", base_url: `${hanging.url}/v1` },
  spare: { protocol: "openai-chat", base_url: `${spare.url}/v1` },
  film: { protocol: "ark-video", base_url: `${slow.url}/v1` }
}

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-limits-"))
  const narrow = [{ upstream: "slow", max_concurrency: 1 }, { upstream: "spare" }]
  writeFileSync(
    join(folder, "gateway.yaml"),
    JSON.stringify({
      upstreams,
      models: {
        quick: { routes: [{ upstream: "slow", first_byte_seconds: 0.3 }, { upstream: "spare" }] },
        brief: { routes: [{ upstream: "hanging", idle_seconds: 0.3 }] },
        narrow: { routes: narrow },
        other: { alias: "narrow" },
        "wild/*": { routes: narrow },
        open: { routes: [{ upstream: "slow" }] }
      }
    })
  )
  gateway = await startGateway({ folder })
})
afterAll(async () => {
  letGo()
  await gateway.dispose()
  await Promise.all([slow.stop(), hanging.stop(), spare.stop()])
})

const ask = async (model: string, content = "hi", stream = false) => {
  const body = { model, stream, messages: [{ role: "user", content }] }
  const response = await request(gateway, "/v1/chat/completions", { body })
  return { status: response.status, upstream: response.headers.get("x-gateway-upstream"), text: await response.text() }
}
const isHolding = async (count: number) => {
  while (held.length < count) await Bun.sleep(5)
}

describe("a route's own limits", () => {
  it("are the time until its answer begins: then the next route is asked", async () => {
    expect(await ask("quick", "hold")).toMatchObject({ status: 200, upstream: "spare" })
    letGo()
  })

  it("are the time between two pieces", async () => {
    const { status, text } = await ask("brief", "hi", true)
    expect([status, text]).toEqual([200, expect.stringContaining("went silent")])
  })

  it.each([
    ["of a model and its alias", "narrow", "other"],
    ["of all ids of a wildcard", "wild/a", "wild/b"]
  ])("are its concurrent requests, %s", async (_, one, another) => {
    const first = ask(one, "hold")
    await isHolding(1)
    // Waits for the upstream's `queue_seconds`, and goes to the next route.
    expect(await ask(another)).toMatchObject({ status: 200, upstream: "spare" })
    expect(await ask("open")).toMatchObject({ status: 200, upstream: "slow" })
    letGo()
    expect(await first).toMatchObject({ status: 200, upstream: "slow" })
    expect(await ask(another)).toMatchObject({ status: 200, upstream: "slow" })
  })

  it("are not for videos", async () => {
    const models = { v: { routes: [{ upstream: "film", max_concurrency: 1 }] } }
    writeFileSync(join(gateway.folder, "other.yaml"), JSON.stringify({ upstreams, models }))
    const { err, out } = await runCommand(gateway.folder, ["check"], { GATEWAY_CONFIG: "other.yaml" })
    expect(err + out).toContain(`models.v.routes[0].max_concurrency: is for ${calledModels} alone`)
  })
})
