import { expect, it } from "vitest"
import { complaintsAfter } from "./edited.ts"

const table = "src/contract/callers/roles.ts"

it("a role without a row in the table of roles does not compile", async () => {
  const added = {
    file: "src/contract/callers/Acting.ts",
    text: 'Schema.Literal("operator", ',
    instead: 'Schema.Literal("intern", "operator", '
  }
  const { files, printed } = await complaintsAfter([added], [table])
  expect([files, printed]).toEqual([[table], expect.stringContaining("'intern'")])
  const row =
    'intern: { may: "", reach: nothing, isForPeople: true, isForKeys: false, hasConsole: true, accounts: "optional", seesBodies: false },'
  const whole = { file: table, text: "export const roles = {", instead: `export const roles = {\n${row}` }
  expect(await complaintsAfter([added, whole], [table])).toEqual({ files: [], printed: "" })
}, 60_000)

const field = "added: maybe(Schema.Boolean)"
const families = [
  ["src/responses/CreateResponse.ts", "  // Optional, because a prompt", "src/responses/fates.ts"],
  ["src/messages/Request.ts", "  // The model sets the upper bound", "src/messages/fates.ts"],
  ["src/chat/Request.ts", '  model: required(Schema.NonEmptyString, "Model id;', "src/chat/fates.ts"],
  [
    "src/chat/completions/Request.ts",
    '  model: required(Schema.NonEmptyString, "Model id;',
    "src/chat/completions/fates.ts"
  ]
] as const

it("a field without a fate does not compile: of a request in its family, of a conversation at each protocol", async () => {
  const ofFamilies = families.map(([, , table]) => table)
  const protocols = ["anthropicMessages", "bedrockConverse", "gemini", "openaiChat", "openaiResponses"]
  const ofProtocols = protocols.map((name) => `src/upstreams/protocols/${name}/fates.ts`)
  const [unnamed = ""] = ofProtocols
  const stops = "  stopSequences:"
  const edits = [
    ...families.map(([file, text]) => ({ file, text, instead: `${field},\n${text}` })),
    {
      file: "src/generation/Conversation.ts",
      text: "  readonly stopSequences: ",
      instead: "  readonly added?: boolean\n  readonly stopSequences: "
    },
    // Nor may it be left out without a name for the report.
    { file: unnamed, text: stops, instead: `  added: "left out",\n${stops}` }
  ]
  const tables = [...ofFamilies, ...ofProtocols].toSorted()
  const { files, printed } = await complaintsAfter(edits, tables)
  expect([files, printed]).toEqual([tables, expect.stringContaining(`'"left out"' is not assignable`)])
  expect(printed.match(/'added' is missing/g)).toHaveLength(tables.length - 1)
}, 60_000)

const kinds = "src/contract/kinds.ts"
const columns =
  'named: "a melody model", work: "call", operation: "melody", isTranslated: false, readsAtOnce: false, isByTokens: false, writes: "text"'
const kindRow = (more: string) => ({
  file: kinds,
  text: "export const kinds = {",
  instead: `export const kinds = {\n  melody: { ${columns}${more} },`
})
const family = {
  file: kinds,
  text: "export const families = {",
  instead:
    'export const families = {\n  melody: { kind: "speech", paths: ["/v1/speech"], isQuoted: true, answers: "whole" },'
}

it("a kind of model without a column does not compile, nor a family without a reader of its answers", async () => {
  expect((await complaintsAfter([kindRow("")], [kinds])).files).toEqual([kinds])
  const table = "src/upstreams/passthrough/besideEndpoints.ts"
  const { files, printed } = await complaintsAfter([kindRow(", namesStored: false"), family], [table])
  expect(files).toContain(table)
  expect(printed).toContain("Property 'melody' is missing")
  expect(files).not.toContain(kinds)
}, 60_000)
