/** Longer lines are printed in parts, in characters. */
const longest = 1024 * 1024

/** Prints a stream by whole lines, so that several processes' lines don't mix. */
export const wholeLines = async (
  stream: ReadableStream<Uint8Array>,
  print: (lines: string, count: number) => void
): Promise<void> => {
  const decoder = new TextDecoder()
  let rest = ""
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true })
    const end = rest.length > longest ? rest.length : rest.lastIndexOf("\n") + 1
    if (end === 0) continue
    const lines = rest.slice(0, end)
    rest = rest.slice(end)
    print(lines, lines.split("\n").length - 1)
  }
  if (rest !== "") print(`${rest}\n`, 1)
}
