import { expect, it } from "@effect/vitest"
import fc from "fast-check"
import { appendText } from "../../src/generation/appendText.ts"

it("a text that has grown is the text of its pieces (property)", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string(), fc.string({ minLength: 100, maxLength: 400 })), { maxLength: 100 }),
      (pieces) => {
        expect(pieces.reduce((text, piece) => appendText(text, piece), "")).toBe(pieces.join(""))
      }
    )
  )
})
