import { program } from "../e2e/program.ts"
import { shortLived } from "../e2e/process.ts"

/** What a command prints on a terminal of 80 columns, without colours. */
export const narrow = async (
  folder: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  const child = Bun.spawn([...program(), ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, USER: "operator", TERM: "dumb", ...shortLived(), ...env },
    terminal: {
      cols: 80,
      rows: 50,
      data: (_, data) => {
        text += decoder.decode(data, { stream: true })
      }
    }
  })
  const code = await child.exited
  if (code !== 0) throw new Error(`gateway ${args.join(" ")}: exit ${code}\n${text}`)
  return Bun.stripANSI(text).replaceAll("\r\n", "\n")
}

/** The rows of a printed table by the names of its columns; columns are two spaces apart. */
export const rowsOf = (said: string): ReadonlyArray<Readonly<Record<string, string>>> => {
  const lines = said.split("\n")
  const head = lines.findIndex((line) => /^[A-Z][A-Z ]+$/.test(line.replaceAll(/\d/g, "")))
  const places = (line: string) =>
    [...line.matchAll(/\S+(?: \S+)*/g)].map(({ 0: text, index }) => ({ text, from: index, to: index + text.length }))
  const heads = places(lines[head] ?? "")
  return lines.slice(head + 1).map((line) => {
    const cells = places(line)
    return Object.fromEntries(
      heads.map(({ from, text, to }) => [text, cells.find((cell) => cell.from < to && cell.to > from)?.text ?? ""])
    )
  })
}
