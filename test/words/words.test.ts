import { expect, it } from "vitest"
import { vaguePronouns, vagueWords } from "./words.ts"

const complaintsOf = (text: string) => vagueWords(new Map([["a.ts", text]]))

it("refuses comments that begin with a relative clause", () => {
  expect(complaintsOf("/** Whether it is open. */\nconst isOpen = true")).toEqual(['a.ts:1: begins with "Whether"'])
  expect(complaintsOf("/**\n * Who calls.\n */\nconst caller = 1")).toEqual(['a.ts:1: begins with "Who"'])
  expect(complaintsOf("const a = 1 // What it is\n\n// Where it goes\nconst b = 2")).toEqual([
    'a.ts:1: begins with "What"',
    'a.ts:3: begins with "Where"'
  ])
})

it("allows such words further on, and in code", () => {
  expect(complaintsOf("/** True if it is open, whatever its state. */\nconst isOpen = true")).toEqual([])
  expect(complaintsOf("// The node whose lease is over.\n// Whose tasks are claimed again.\nconst a = 1")).toEqual([])
  expect(complaintsOf('const text = "// Where"')).toEqual([])
  expect(complaintsOf("/** Whole seconds. */\nconst seconds = 1")).toEqual([])
})

it("refuses exported types that are named for their place in a sentence", () => {
  expect(complaintsOf("export interface Asked {}\nexport type Told = 1\nexport class Page {}")).toEqual([
    "a.ts:1: exports a type called Asked",
    "a.ts:2: exports a type called Told",
    "a.ts:3: exports a type called Page"
  ])
  expect(complaintsOf("type Turn = 1\nexport type { Turn }")).toEqual(["a.ts:2: exports a type called Turn"])
})

it("allows such names inside one file", () => {
  expect(complaintsOf("interface Page {}\nexport interface PageOf {}")).toEqual([])
})

it("refuses pronouns for unnamed persons in comments, texts and pages", () => {
  const source = '/**\n * Waits.\n * Nobody hears it.\n */\nconst a = `for whoever ${b} asks`\nconst c = "nobody"\n'
  expect(vaguePronouns(new Map([["a.ts", source]]))).toEqual(['a.ts:3: says "Nobody"', 'a.ts:5: says "whoever"'])
  expect(vaguePronouns(new Map([["a.md", "A page.\nFor somebody."]]))).toEqual(['a.md:2: says "somebody"'])
})
