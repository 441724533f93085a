import { expect, it } from "vitest"
import { LogTail } from "../../src/telemetry/LogTail.ts"

it("has the last lines, in the order in which they were written", () => {
  const tail = new LogTail()
  tail.push("1\n")
  tail.push('2\n"ü"\n')
  tail.push("4\n")
  expect(tail.lines()).toEqual(["1", "2", '"ü"', "4"])
})

it("keeps a megabyte and no more, however lines come", () => {
  const tail = new LogTail()
  const line = `${"x".repeat(999)}\n`
  for (let at = 0; at < 3_000; at++) tail.push(line)
  expect(tail.lines()).toHaveLength(Math.floor((1024 * 1024) / 1_000))
  tail.push(`${"y".repeat(2 * 1024 * 1024)}\n`)
  expect(tail.lines()).toEqual([])
  for (let at = 0; at < 10_000; at++) tail.push("{}\n")
  expect(tail.lines()).toHaveLength(4_096)
})

it("tells those who follow of what comes, until they leave", () => {
  const tail = new LogTail()
  tail.push("before\n")
  const heard: Array<string> = []
  const leave = tail.follow((lines) => heard.push(...lines))
  tail.push("a\nb\n")
  leave()
  tail.push("after\n")
  expect(heard).toEqual(["a", "b"])
})
