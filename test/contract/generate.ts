import type { Json, Schemas } from "./document.ts"

/** Numbers that repeat for a seed, so that a finding can be seen again. */
export class Random {
  private state: number
  constructor(seed: number) {
    this.state = seed >>> 0
  }

  /** 0 up to, not including, 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }

  below(bound: number): number {
    return Math.floor(this.next() * bound)
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<A>(values: ReadonlyArray<A>): A {
    return values[this.below(values.length)] as A
  }
}

const words = [
  "",
  " ",
  "a",
  "Hello there",
  "weather in Rome, please",
  "search the web for otters",
  "\u0000\u0001",
  "漢字仮名",
  "👩‍👩‍👧",
  "\ud800",
  "x".repeat(3_000),
  "__proto__",
  "constructor",
  "<script>",
  "'; DROP TABLE keys; --",
  "%00%2e%2e/",
  "{}",
  '{"query":"x"}',
  "-1",
  "1e400",
  "true",
  "call_1",
  "toolu_1",
  "weather",
  "[[sandbox: tokens=3]]",
  "[[sandbox: tool=weather]]",
  "[[sandbox: finish=refusal]]",
  "[[sandbox: nonsense]]"
]
/** What patterns and formats of the contract ask for; nothing here leads off the machine. */
const shaped = [
  "https://files.invalid/a.png",
  "http://127.0.0.1:1/a.pdf",
  "data:image/png;base64,iVBORw0KGgo=",
  "data:text/csv;base64,YSxiCjEsMgo=",
  "YSxiCjEsMgo=",
  "web_search",
  "web_search_20250305",
  "web_search_2025_08_26",
  "bash_20250124",
  "memory_20250818",
  "file_search",
  "DE",
  "Europe/Rome",
  "example.com",
  "example.com/docs",
  "task_0123456789"
]

const odd: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  2 ** 53,
  -0,
  "",
  "x",
  [],
  {},
  [null],
  [[]],
  { type: "text" },
  { type: null },
  { __proto__: null, length: 1 },
  { type: "function", name: "weather" }
]

/** Makes values of JSON Schemas: mostly as they ask, sometimes at their edges. */
export class Generator {
  readonly random: Random
  private readonly schemas: Schemas
  constructor(schemas: Schemas, random: Random) {
    this.schemas = schemas
    this.random = random
  }

  value(given: Json, depth = 0): unknown {
    const { random } = this
    const schema = this.schemas.resolve(given)
    if (this.schemas.isNullable(schema) && random.chance(0.05)) return null
    const members = this.schemas.members(schema)
    const member = members.length === 0 ? schema : random.pick(members)
    if (member["enum"] !== undefined) return random.pick(member["enum"])
    switch (member["type"]) {
      case "string":
        return this.text(member)
      case "integer":
        return this.integer(member)
      case "number":
        return random.chance(0.2) ? this.integer(member) : this.within(member) + random.next() * 0.01
      case "boolean":
        return random.chance(0.5)
      case "array":
        return this.list(member, depth)
      case "object":
        return this.record(member, depth)
      default:
        return random.pick(odd)
    }
  }

  odd(): unknown {
    return this.random.chance(0.5) ? this.random.pick(odd) : this.word()
  }

  word(): string {
    return this.random.pick(this.random.chance(0.6) ? words : shaped)
  }

  private text(schema: Json): string {
    const fitting = [...shaped, ...words].filter(
      (word) =>
        (schema["pattern"] === undefined || new RegExp(schema["pattern"]).test(word)) &&
        word.length >= (schema["minLength"] ?? 0) &&
        word.length <= (schema["maxLength"] ?? Infinity)
    )
    return fitting.length === 0 ? this.word() : this.random.pick(fitting)
  }

  private integer(schema: Json): number {
    const { random } = this
    if (random.chance(0.3)) return random.chance(0.5) ? (schema["minimum"] ?? 0) : (schema["maximum"] ?? 100)
    return Math.floor(this.within(schema))
  }

  private within(schema: Json): number {
    const low = schema["minimum"] ?? 0
    const high = Math.min(schema["maximum"] ?? low + 300, low + 2_000)
    return low + this.random.next() * (high - low)
  }

  private list(schema: Json, depth: number): ReadonlyArray<unknown> {
    const least = schema["minItems"] ?? 0
    const length = Math.max(least, depth > 6 ? 0 : this.random.below(4))
    return Array.from({ length }, () => this.value(schema["items"] ?? {}, depth + 1))
  }

  private record(schema: Json, depth: number): Json {
    const { random } = this
    const value: Record<string, unknown> = {}
    const required: ReadonlyArray<string> = schema["required"] ?? []
    for (const [name, field] of Object.entries((schema["properties"] ?? {}) as Json)) {
      if (required.includes(name) || random.chance(depth > 4 ? 0.1 : 0.35)) value[name] = this.value(field, depth + 1)
    }
    if (typeof schema["additionalProperties"] === "object") {
      for (let i = random.below(3); i > 0; i--)
        value[this.word()] = this.value(schema["additionalProperties"], depth + 1)
    }
    if (random.chance(0.05)) value[`x_${random.below(9)}`] = this.odd()
    return value
  }
}
