import { writeFileSync } from "node:fs"

/*
 * Loaded into a gateway before its own code: measures the longest pause of its event loop, and hears when it is told to
 * stop. Answers on a socket of its own, `BODIES_PROBE`, and begins anew with each question. A pause is the processor time
 * of the loop's thread between two beats: on a machine of its own that is the time that passes, and where others use the
 * machine too their share does not count.
 */

const socket = process.env["BODIES_PROBE"] ?? ""
const every = 2

const busyMs = () => {
  const { system, user } = process.threadCpuUsage()
  return (user + system) / 1_000
}
let last = busyMs()
let pauseMs = 0
let mostBytes = 0
const look = () => {
  const now = busyMs()
  pauseMs = Math.max(pauseMs, now - last)
  last = now
}
setInterval(look, every).unref()
setInterval(() => (mostBytes = Math.max(mostBytes, process.memoryUsage.rss())), 20).unref()

Bun.serve({
  unix: socket,
  fetch: () => {
    look()
    const answer = Response.json({ pauseMs, mostBytes })
    pauseMs = 0
    mostBytes = process.memoryUsage.rss()
    return answer
  }
})

process.on("SIGTERM", () => writeFileSync(`${socket}.stopped`, String(Date.now())))
