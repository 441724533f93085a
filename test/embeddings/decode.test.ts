import { expect, it } from "vitest"
import { InvalidRequest } from "../../src/contract/failures/Failure.ts"
import { decode } from "../../src/embeddings/decode.ts"

const model = "sandbox-embed"
/** 12,000 tokens in as many words. */
const long = "word ".repeat(12_000)
const nearlyLong = "word ".repeat(8_000)

it("refuses a text of more than 8,192 tokens", () => {
  expect(decode({ model, input: nearlyLong })).not.toBeInstanceOf(InvalidRequest)
  expect(decode({ model, input: ["a", long] })).toMatchObject({ param: "input[1]" })
})

it("counts the tokens of the first inputs alone: the upstream judges the others", () => {
  const many = [...Array.from({ length: 2_000 }, () => nearlyLong), long]
  expect(decode({ model, input: many })).not.toBeInstanceOf(InvalidRequest)
  expect(decode({ model, input: [long, ...many] })).toMatchObject({ param: "input[0]" })
})
