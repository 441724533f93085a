import { it } from "vitest"
import { countText } from "../../src/tokens/tokenizer.ts"
import { countTokens } from "../../src/tokens/tokens.ts"
import { conversation, said } from "../generation/conversations.ts"
import { endlessWord, longText, manyTexts } from "../tokens/texts.ts"
import { keeps } from "./keeps.ts"

const timed = (work: () => unknown) => () => {
  const began = performance.now()
  work()
  return performance.now() - began
}

it("many long texts are counted in the time of one", () => {
  const asked = conversation({ items: manyTexts().map((text) => said("user", text)) })
  return keeps(
    "counting 400 texts of 20 kB",
    200,
    timed(() => countTokens(asked))
  )
})

it("a long text is counted in bounded time", () =>
  keeps(
    "counting a text of 1 MB",
    200,
    timed(() => countText(longText))
  ))

it("one endless word is counted in bounded time", () => {
  const word = endlessWord()
  return keeps(
    "counting a word of 64 kB",
    500,
    timed(() => countText(word))
  )
})
