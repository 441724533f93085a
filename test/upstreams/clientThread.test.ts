import { readFileSync } from "node:fs"
import { expect, it } from "@effect/vitest"
import { beginCall, defaultDeadlines } from "../../src/upstreams/client.ts"
import { threadsOf } from "../../src/upstreams/clientThread.ts"

/** The policy of a thread: its 41st field, 0 is the usual one and 3 is batch. */
const policyOf = (thread: number): number =>
  Number(readFileSync(`/proc/self/task/${thread}/stat`, "utf8").split(") ")[1]?.split(" ")[38])

it.runIf(process.platform === "linux")(
  "the thread that calls upstreams pushes nobody aside once it is there",
  async () => {
    const upstream = Bun.serve({ port: 0, fetch: () => new Response("{}") })
    try {
      const call = beginCall({ url: upstream.url.href, headers: {}, body: "{}", deadlines: defaultDeadlines })
      await new Promise((resolve) => call.onDone(resolve))
      await expect.poll(() => threadsOf("HTTP Client").map(policyOf), { timeout: 5_000 }).toEqual([3])
      expect(policyOf(process.pid)).toBe(0)
    } finally {
      await upstream.stop(true)
    }
  }
)
