import { describe, expect, it } from "@effect/vitest"
import fc from "fast-check"
import { answerBounds, bodyBounds, excessOf } from "../../../src/contract/json/jsonBounds.ts"

const nested = (levels: number, around = "") => `${"[".repeat(levels)}${around}${"]".repeat(levels)}`
const padding = JSON.stringify(" ".repeat(300))

describe("bounds of a JSON text", () => {
  for (const [name, bounds] of Object.entries({ bodyBounds, answerBounds })) {
    it(`${name}: as many levels as allowed, and one too many, in texts of every length`, () => {
      for (const around of ["", padding, JSON.stringify(" ".repeat(30_000))]) {
        expect(excessOf(nested(64, around), bounds)).toBeUndefined()
        expect(excessOf(nested(65, around), bounds)).toBe("levels")
        expect(excessOf(`{"a":${nested(64, around)}}`, bounds)).toBe("levels")
      }
    })

    it(`${name}: many brackets side by side, or within a string, are no levels`, () => {
      expect(excessOf(`[${Array.from({ length: 500 }, () => "[]").join(",")}]`, bounds)).toBeUndefined()
      expect(excessOf(JSON.stringify("[".repeat(500)), bounds)).toBeUndefined()
    })

    it(`${name}: a short text is judged as the whole scan judges it`, () => {
      // The scan that records places never takes the short way.
      const scanned = (text: string) => excessOf(text, bounds, { members: [], keys: 0 })
      fc.assert(
        fc.property(fc.json({ maxDepth: 8 }), fc.integer({ min: 0, max: 70 }), (text, levels) => {
          const deep = nested(levels, `${padding},${text}`)
          expect(excessOf(deep, bounds)).toBe(scanned(deep))
        })
      )
    })
  }
})
