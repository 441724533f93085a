import { formed } from "../../contract/endpoints.ts"
import { many, mega, on } from "./Hostile.ts"
import type { Hostile } from "./Hostile.ts"

const boundary = "hostile-boundary"
const end = `--${boundary}--\r\n`
const part = (name: string, value: string, more = "") =>
  `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
const file = (value: string, filename = "a.wav", name = "file") => part(name, value, `; filename="${filename}"`)

/** What a form may be too much of. */
const forms: ReadonlyArray<readonly [string, () => string]> = [
  ["a file without its end", () => file("x".repeat(mega)).slice(0, -2)],
  ["nothing", () => ""],
  ["its end alone", () => end],
  ["another boundary", () => `--other\r\ncontent-disposition: form-data; name="a"\r\n\r\nx\r\n--other--\r\n`],
  ["100,000 parts", () => many(100_000, (index) => part(`f${index}`, "x")).join("") + end],
  ["100,000 files", () => many(100_000, () => file("x")).join("") + end],
  ["30 MB of almost boundaries", () => file(`\r\n--${boundary.slice(0, -1)}`.repeat(mega)) + end],
  ["30 MB of line feeds", () => file("\r\n".repeat(15 * mega)) + end],
  ["30 MB in front of its first boundary", () => "x\r\n".repeat(10 * mega) + end],
  ["30 MB behind its end", () => end + "x\r\n".repeat(10 * mega)],
  ["a field of 30 MB", () => part("prompt", "x".repeat(30 * mega)) + end],
  ["a header of 30 MB", () => `--${boundary}\r\nx: ${"y".repeat(30 * mega)}`],
  ["a million headers", () => `--${boundary}\r\n${"a: b\r\n".repeat(mega)}\r\n`],
  ["a name of 8,000 brackets", () => part(`a${"[b]".repeat(2_600)}`, "x") + end],
  ["names of prototypes", () => part("__proto__[a]", "x") + part("constructor[prototype]", "y") + end],
  ["a file's name with paths", () => file("x", "../../../etc/passwd\\..\\a.wav") + end],
  ["a file's name of 8,000 characters", () => file("x", "a".repeat(8_000)) + end],
  ["a field that is a file", () => file("sandbox", "model", "model") + file("x") + end],
  ["two of each", () => (part("model", "sandbox") + file("x")).repeat(2) + end],
  ["JSON of 290,000 values in a field", () => part("chunking_strategy", `[${"1,".repeat(290_000)}1]`) + file("x") + end]
]

/** Hostile forms, for every endpoint that takes one. */
export const formBodies: ReadonlyArray<Hostile> = formed.flatMap(({ path }) =>
  forms.map(([name, body]) => on(path, { type: `multipart/form-data; boundary=${boundary}` })(`a form: ${name}`, body))
)
