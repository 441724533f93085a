import type { Call } from "../../places/strict/said.ts"
import type { Step } from "./script.ts"

/** How a program's own tools are called. */
export interface Tools {
  readonly shell: (command: string) => Call
  readonly read?: (path: string) => Call
  readonly write?: (path: string, content: string) => Call
  /** Files that it shows to the model. */
  readonly shown?: ReadonlyArray<Call>
}

/** Twenty turns with calls in parallel, files that are shown, and in their middle a conversation that is too long. */
export const loopOf = (
  { read, shell, shown = [], write }: Tools,
  { isLong, overflows }: { readonly overflows: boolean; readonly isLong: boolean }
): ReadonlyArray<Step> => {
  const note = read?.("note.txt") ?? shell("head -n 1 note.txt")
  const turns: ReadonlyArray<ReadonlyArray<Call>> = [
    [shell("cat note.txt"), note],
    ...shown.map((call) => [call]),
    ...(write === undefined ? [] : [[write("out.txt", "4711\n")]]),
    [shell("ls"), shell("pwd"), note],
    [shell("false")],
    isLong ? Array.from({ length: 4 }, () => shell("cat big.txt")) : [shell("seq 1 2000")],
    [shell("echo '{\"a\": [1, 2]}'"), shell("printf 'caf\\303\\251 \\360\\237\\230\\200\\n'")],
    [shell("true")],
    [shell("ls -la")],
    [shell("wc note.txt"), note]
  ]
  const half = turns.length
  const rest = Array.from({ length: 20 - half }, (_, index) =>
    index === 1 && shown[0] !== undefined
      ? [shown[0]]
      : index % 3 === 0
        ? [shell(`echo ${index}`), note, shell(`echo again ${index}`)]
        : [shell(`echo ${index}`)]
  )
  return [...turns, ...(overflows ? (["overflow"] as const) : []), ...rest]
}

/** A file of some 8,000 tokens. */
export const bigText = Array.from({ length: 800 }, (_, line) => `line ${line} has some words of its own`).join("\n")

/** Twenty turns, each of which brings a long text. */
export const longLoopOf = ({ shell }: Tools): ReadonlyArray<Step> =>
  Array.from({ length: 20 }, (_, index) => [shell("cat big.txt"), shell(`echo ${index}`)])
