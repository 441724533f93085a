import type { Exchange } from "./recorder.ts"

export const expect = (holds: boolean, what: string, asked: ReadonlyArray<Exchange> = []): void => {
  if (holds) return
  const told = asked.map(({ answer, method, path, status }) => `${method} ${path} ${status} ${answer.slice(0, 200)}`)
  throw new Error(`not so: ${what}${told.map((line) => `\n  ${line.replaceAll("\n", " ")}`).join("")}`)
}

/** Waits until something holds. */
export const settled = async (holds: () => boolean, limitMs = 20_000): Promise<void> => {
  const limit = Date.now() + limitMs
  while (!holds()) {
    if (Date.now() > limit) throw new Error(`did not come about: ${holds.toString()}`)
    await Bun.sleep(100)
  }
}
