/** A fenced block of a page. */
export interface Snippet {
  readonly page: string
  /** The heading above it. */
  readonly heading: string
  readonly language: string
  readonly code: string
}

const fence = /^( *)```(\w+)\n([\s\S]*?)^\1```$/gm

/** The fenced blocks of a page, in order. */
export const snippetsOf = (page: string, text: string): ReadonlyArray<Snippet> =>
  [...text.matchAll(fence)].map(({ 1: indent = "", 2: language = "", 3: code = "", index }) => ({
    page,
    heading:
      text
        .slice(0, index)
        .match(/^#+ .+$/gm)
        ?.at(-1)
        ?.replace(/^#+ /, "") ?? "",
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, "gm"), "")
  }))

/** The commands of a block for a shell: one each, with what goes on behind a backslash, without remarks. */
export const commandsOf = (code: string): ReadonlyArray<string> =>
  code
    .replaceAll(/ +\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.replace(/(?:^|\s+)# .*$/, "").trim())
    .filter((line) => line !== "")
