import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import type { Citation } from "../../src/generation/Conversation.ts"
import { Citer } from "../../src/search/Citer.ts"
import { Sources } from "../../src/search/Sources.ts"

const page = (n: number) => ({
  url: `https://${n}.example.com`,
  title: `Page ${n}`,
  text: `Word${n} is here.`,
  pageAge: null
})
const sources = () => {
  const shown = new Sources()
  shown.tell({ type: "results", results: [page(1), page(2), page(3)] })
  return shown
}

const read = (pieces: ReadonlyArray<string>, shown = sources()) => {
  const citer = new Citer(shown)
  let text = ""
  const citations: Array<Citation> = []
  for (const event of [...pieces.flatMap((piece) => citer.write(piece)), ...citer.end()]) {
    if (event.type === "text-delta") text += event.text
    if (event.type === "citation") citations.push(event.citation)
  }
  return { text, cited: citations.map(({ end, start, url }) => [url, text.slice(start, end)]) }
}

describe("a text of a million characters", () => {
  it.each([
    ["marks", "[[1]] ".repeat(150_000)],
    ["blanks", " ".repeat(1_000_000)],
    ["marks begun", "[[1".repeat(300_000)]
  ])("is read in time that grows with its length: %s", (_, text) => {
    expect(read([text]).text.length).toBeLessThanOrEqual(text.length)
  })
})

describe("marks in a text", () => {
  it.each([
    ["It is so [[1]].", "It is so.", [["1", "It is so"]]],
    [
      "It is so.[[1]] And so. [[2]]",
      "It is so. And so.",
      [
        ["1", "It is so."],
        ["2", "And so."]
      ]
    ],
    [
      "Both[[1]][[2]]",
      "Both",
      [
        ["1", "Both"],
        ["2", "Both"]
      ]
    ],
    [
      "Both [[1, 3]], too",
      "Both, too",
      [
        ["1", "Both"],
        ["3", "Both"]
      ]
    ],
    ["None [[9]] here", "None [[9]] here", []],
    ["a[i][[x]] [1] [[", "a[i][[x]] [1] [[", []],
    [
      "- one [[1]]\n- two [[2]]\n",
      "- one\n- two\n",
      [
        ["1", "- one"],
        ["2", "- two"]
      ]
    ]
  ])("%j", (written, text, cited) => {
    expect(read([written])).toEqual({ text, cited: cited.map(([n, words]) => [`https://${n}.example.com`, words]) })
  })

  it("are the same however the text is cut", () => {
    const parts = fc.array(fc.constantFrom("[[1]]", "[[2, 3]]", "[[", "]]", "[", " ", "It is. ", "so", "1", "\n"))
    fc.assert(
      fc.property(parts, fc.array(fc.nat(40)), (words, cuts) => {
        const text = words.join("")
        const at = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end))
        expect(read(pieces)).toEqual(read([text]))
      })
    )
  })

  it("are left alone where no page was shown", () => {
    expect(read(["See [[1]]"], new Sources())).toEqual({ text: "See [[1]]", cited: [] })
  })
})
