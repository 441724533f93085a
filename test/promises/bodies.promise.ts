import { afterAll, expect, it } from "vitest"
import { corpus } from "../guard/bodies/corpus.ts"
import { mayPauseMs } from "../guard/bodies/measure.ts"
import { startUpstream } from "../guard/bodies/upstream.ts"
import { keeps } from "./keeps.ts"
import { measuringProgram } from "./measuringProgram.ts"

const upstream = startUpstream()
const measuring = measuringProgram(`http://127.0.0.1:${upstream.port}`)
afterAll(async () => {
  await measuring.dispose()
  await upstream.stop(true)
})

const short = corpus.filter(({ isShort }) => isShort === true)

it.each(short)("the event loop has its turns beside $path: $name", async (hostile) => {
  const body = hostile.body()
  await keeps(
    hostile.name,
    mayPauseMs(hostile, body),
    async () => {
      // The first one is interpreted; what an attacker repeats is compiled.
      const first = await measuring.once(hostile, body)
      const second = await measuring.once(hostile, body)
      expect([first.status, second.status]).not.toContain(undefined)
      return Math.min(first.pauseMs, second.pauseMs)
    },
    "objects"
  )
})

/** Each begins a process anew. A pause of the loop is how long SIGTERM waits: `test:long bodies --short` sends it beside all. */
const ofEachPath = short.filter(({ path }, at) => short.findIndex((other) => other.path === path) === at)

it.each(ofEachPath)("SIGTERM is heard beside $path: $name", async (hostile) => {
  const body = hostile.body()
  await keeps(`${hostile.name}: SIGTERM`, 1_000, () => measuring.hearsStop(hostile, body))
})
