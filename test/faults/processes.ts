import { resolve } from "node:path"
import { shortLived } from "../e2e/process.ts"

/** A process of the fault tests: where it listens, and the lines it prints. */
export interface Spawned {
  readonly url: string
  readonly pid: number
  readonly startMs: number
  readonly exited: Promise<number>
  readonly signal: (signal: NodeJS.Signals) => void
  /** The rest of the first line that begins with this word. */
  readonly said: (word: string) => Promise<string>
}

export const spawn = async (file: string, env: Readonly<Record<string, string>>): Promise<Spawned> => {
  const begun = performance.now()
  const child = Bun.spawn([process.execPath, resolve(import.meta.dirname, file)], {
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "", ...shortLived(), ...env }
  })
  const waiting = new Map<string, PromiseWithResolvers<string>>()
  const entry = (word: string) => {
    const known = waiting.get(word) ?? Promise.withResolvers<string>()
    waiting.set(word, known)
    // A process may die before it says it; who cares awaits it.
    known.promise.catch(() => {})
    return known
  }
  let over = false
  void (async () => {
    const decoder = new TextDecoder()
    let rest = ""
    for await (const chunk of child.stdout) {
      rest += decoder.decode(chunk, { stream: true })
      const lines = rest.split("\n")
      rest = lines.pop() ?? ""
      for (const line of lines) {
        const space = line.indexOf(" ")
        entry(line.slice(0, space)).resolve(line.slice(space + 1))
      }
    }
    over = true
    for (const one of waiting.values()) one.reject(new Error(`${file} ended`))
  })()
  const said = (word: string) => {
    const { promise, reject } = entry(word)
    if (over) reject(new Error(`${file} ended`))
    return promise
  }
  const url = (await said("listens")).replace("on ", "")
  return {
    url,
    pid: child.pid,
    startMs: performance.now() - begun,
    exited: child.exited,
    signal: (signal) => child.kill(signal),
    said
  }
}
