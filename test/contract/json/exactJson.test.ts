import { describe, expect, it } from "@effect/vitest"
import { parseJson } from "../../../src/contract/json/json.ts"
import { parseExactly, TooManyLongIntegers } from "../../../src/contract/json/exactJson.ts"

const written = (text: string) => JSON.stringify(parseExactly(text))

describe("JSON that is read and written again", () => {
  it.each([
    "12345678901234567890",
    "-9007199254740993",
    `{"id":9007199254740993,"list":[18446744073709551616,-12345678901234567],"deep":{"__proto__":10000000000000001}}`,
    `[${"1234567890".repeat(1_000)}]`,
    `["12345678901234567890 \\" 12345678901234567891",12345678901234567892]`,
    `{"12345678901234567890":1,"x":12345678901234567891}`,
    `{"text":"{\\"id\\": 12345678901234567890}"}`
  ])("has its long integers digit by digit: %s", (text) => {
    expect(written(text)).toBe(text)
  })

  it("has numbers that a double holds as numbers", () => {
    const text = "[9007199254740991, -1795715564943123, 0.12345678901234567, 1e21, 12345678901234567.5, 1.0]"
    expect(parseExactly(text)).toEqual(JSON.parse(text))
  })

  it("is refused with the same words where it is none", () => {
    const long = "12345678901234567"
    const wrongs = [
      `{${long}:1}`,
      `{${long} : 1}`,
      `[${long}x]`,
      `[+${long}]`,
      `[0${long}]`,
      `[-]${long}`,
      `["a"${long}]`
    ]
    for (const wrong of [...wrongs, `[1${long}`, `tru${long}`, `[${long} ${long}]`, `"${long}`, `[${long},]`]) {
      const why = (read: (text: string) => unknown) => {
        try {
          return read(wrong)
        } catch (error) {
          return String(error)
        }
      }
      expect(why(parseExactly), wrong).toBe(why(JSON.parse))
    }
  })

  it("has a bound on how many there are", () => {
    const many = (count: number) => `[${Array(count).fill("12345678901234567").join()}]`
    expect(JSON.stringify(parseExactly(many(10), 10))).toBe(many(10))
    expect(() => parseExactly(many(11), 10)).toThrow(TooManyLongIntegers)
    expect(parseJson(many(10_001))).toBeUndefined()
  })
})
