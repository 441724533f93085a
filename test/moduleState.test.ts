import { basename, join } from "node:path"
import { expect, it } from "@effect/vitest"
import { parseSync } from "oxc-parser"
import type { Statement } from "oxc-parser"
import { readSources } from "./imports/imports.ts"

/** What a module may hold on to between two gateways of one process, and why neither can tell. */
const allowed: Readonly<Record<string, string>> = {
  "open.ts unknowns": "what a decoded request holds beyond its schema, for as long as the request lives",
  "deadlines.ts watched": "the process's one timer",
  "deadlines.ts dues": "the process's one timer",
  "deadlines.ts timer": "the process's one timer",
  "deadlines.ts firesAt": "the process's one timer",
  "eventLoop.ts answered": "the event loop's turn",
  "eventLoop.ts busy": "the event loop's turn",
  "eventLoop.ts endedAt": "the event loop's turn",
  "eventLoop.ts end": "the event loop's turn",
  "eventLoop.ts cameAt": "the event loop's turn",
  "eventLoop.ts line": "the event loop's turn, which long answers take one after another",
  "eventLoop.ts longLine": "the event loop's turn, which very long answers take one after another",
  "shutdown.ts listening": "by a gateway's own signal, and gone with it",
  "usageRows.ts known": "the text of a day",
  "showUsd.ts last": "the text of an amount",
  "Price.ts applied": "by a price, and gone with it",
  "messagesOf.ts known": "by a gateway's own caller, and gone with it",
  "meters.ts known": "by a gateway's own caller, and gone with it",
  "plan.ts known": "by a gateway's own caller, and gone with it",
  "plan.ts plans": "by a gateway's own caller, and gone with it",
  "OtlpSpan.ts sizes": "by a span, and gone with it",
  "rateHeaders.ts last": "the text of a second",
  "decode.ts nothingKept": "empty, and typed so that it stays so",
  "asStream.ts placesIn": "by a list of an answer that is read, and gone with it",
  "messages.ts noSignatures": "empty, and typed so that it stays so",
  "request.ts noSignatures": "empty, and typed so that it stays so",
  "trafficProblems.ts none": "empty, and typed so that it stays so",
  "BodyText.ts none": "empty, and typed so that it stays so",
  "tokenizer.ts remembered": "the tokens of a text",
  "tokens.ts counts": "by a conversation, and gone with it",
  "fileParts.ts sent": "by an item of a request, and gone with it",
  "userLocation.ts timeZones": "which names are time zones",
  "vocabulary.ts loaded": "the vocabulary"
}

/** Names that a module's own statement makes and that change: variables, and collections that begin empty. */
const stateOf = (statement: Statement): ReadonlyArray<string> => {
  const declared = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
  if (declared?.type !== "VariableDeclaration") return []
  return declared.declarations.flatMap(({ id, init }) => {
    const isEmptyCollection =
      init?.type === "NewExpression" &&
      init.callee.type === "Identifier" &&
      /^(Weak)?(Map|Set)$/.test(init.callee.name) &&
      init.arguments.length === 0
    const type = id.type === "Identifier" ? id.typeAnnotation?.typeAnnotation : undefined
    const isEmptyArray =
      init?.type === "ArrayExpression" &&
      init.elements.length === 0 &&
      type?.type === "TSTypeReference" &&
      type.typeName.type === "Identifier" &&
      type.typeName.name === "Array"
    const changes = declared.kind === "let" || isEmptyCollection || isEmptyArray
    return changes && id.type === "Identifier" ? [id.name] : []
  })
}

it("what a module holds on to beyond its Layers is a memory of pure functions, or the process's own", async () => {
  const sources = await readSources(join(import.meta.dirname, "../src"))
  const found = [...sources].flatMap(([file, text]) =>
    parseSync(file, text).program.body.flatMap((statement) =>
      "type" in statement ? stateOf(statement).map((name) => `${basename(file)} ${name}`) : []
    )
  )
  expect(found.sort()).toEqual(Object.keys(allowed).sort())
})
