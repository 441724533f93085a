import { resolve } from "node:path"
import { createInterface } from "node:readline"
import { spawn } from "node:child_process"
import type { Answer, Command } from "./commands.ts"

/** A node in a process of its own. */
export interface Worker {
  /** As it called itself at its start. */
  readonly id: string
  readonly tell: (command: Command) => Promise<Answer>
  readonly signal: (signal: NodeJS.Signals) => void
  /** Ends it: politely where it may end by itself. */
  readonly end: (how: "politely" | "killed") => Promise<void>
}

export const startWorker = async (url: string): Promise<Worker> => {
  const child = spawn("bun", [resolve(import.meta.dirname, "worker.ts"), url], {
    stdio: ["pipe", "pipe", process.env["WORKER_LOG"] === undefined ? "ignore" : "inherit"]
  })
  const exited = new Promise((done) => child.once("exit", done))
  const waiting: Array<(answer: Answer) => void> = []
  // What is logged is no answer.
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (line.startsWith("[")) waiting.shift()?.(JSON.parse(line))
  })
  const next = () => new Promise<Answer>((answered) => waiting.push(answered))
  const begun = await next()
  return {
    id: begun[0] ?? "",
    tell: (command) => {
      const answered = next()
      child.stdin.write(`${JSON.stringify(command)}\n`)
      return answered
    },
    signal: (signal) => child.kill(signal),
    end: async (how) => {
      if (how === "killed") child.kill("SIGKILL")
      else child.stdin.end()
      await exited
    }
  }
}
