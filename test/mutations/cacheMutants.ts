import type { Mutant } from "./Mutant.ts"

const tests = ["test/generation/cacheMarks.test.ts", "test/upstreams/protocols/bedrockConverseFields.test.ts"]

/** Cache marks that a place refuses, and marks that are lost without a word. */
export const cacheMutants: ReadonlyArray<Mutant> = [
  {
    name: "cache marks: five are sent",
    file: "src/generation/cacheMarks.ts",
    snippet: "const mostMarks = 4",
    replacement: "const mostMarks = 5",
    tests
  },
  {
    name: "cache marks: too many are kept",
    file: "src/generation/cacheMarks.ts",
    snippet: "const isKept = () => excess-- <= 0",
    replacement: "const isKept = () => true",
    tests
  },
  {
    name: "cache marks: an hour where the model takes none",
    file: "src/upstreams/protocols/bedrockConverse/messages.ts",
    snippet: "cachePoint(traits.longCache ? mark.ttl : undefined)",
    replacement: "cachePoint(mark.ttl)",
    tests
  },
  {
    name: "cache marks: a point among Nova's tools",
    file: "src/upstreams/protocols/bedrockConverse/tools.ts",
    snippet: 'tool.cacheMark === undefined || traits.cachePoints === "tools and prompts"',
    replacement: 'tool.cacheMark === undefined || traits.cachePoints !== "none"',
    tests
  },
  {
    name: "cache marks: points next to each other",
    file: "src/upstreams/protocols/bedrockConverse/messages.ts",
    snippet: "...others.filter(isFirstPoint)",
    replacement: "...others",
    tests
  }
]
