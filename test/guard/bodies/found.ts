import {
  called,
  isShort,
  many,
  mega,
  messages,
  onMessages,
  onResponses,
  onVideos,
  responses,
  saying,
  structured,
  videos
} from "./Hostile.ts"
import type { Hostile } from "./Hostile.ts"
import { flateBomb, manyShows, plainText } from "./pdfs.ts"

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64")
const document = (bytes: Uint8Array) => ({
  messages: [
    {
      role: "user",
      content: [{ type: "document", source: { type: "base64", media_type: "application/pdf", data: base64(bytes) } }]
    }
  ]
})
const domains = many(99_000, (index) => `a${index}.example.com`)
const searching = (domains: ReadonlyArray<string>) => ({
  tools: [{ type: "web_search_20250305", name: "web_search", allowed_domains: domains }],
  ...saying("search the web 20 times")
})

/** What was found to freeze a gateway when it was first attacked. */
export const found: ReadonlyArray<Hostile> = [
  onMessages("directives opened, 220 KB", () => messages(saying("[[sandbox: ".repeat(20_000))), isShort),
  onMessages("directives opened, 7.7 MB", () => messages(saying("[[sandbox: ".repeat(700_000))), isShort),
  onVideos("directives opened", () => videos({ content: [{ type: "text", text: "[[sandbox: ".repeat(9_000) }] })),
  onMessages("directives, 7 MB", () => messages(saying("[[sandbox: pace=0]] ".repeat(350_000)))),
  onMessages("PDF of 1 GB, packed twice", () => messages(document(flateBomb(1_024))), isShort),
  onMessages("PDF of a million texts", () => messages(document(manyShows(mega)))),
  onMessages("PDF of 20 MB, not packed", () => messages(document(plainText(20)))),
  onMessages("PDF of 1 GB, extracted", () => messages(document(flateBomb(1_024)), "behind-chat"), isShort),
  onMessages("PDF of a million texts, extracted", () => messages(document(manyShows(mega)), "behind-chat")),
  onMessages("PDF of 20 MB, extracted", () => messages(document(plainText(20)), "behind-chat")),
  onResponses("minLength 1e8", () => responses(structured({ type: "string", minLength: 1e8 })), isShort),
  onResponses("minLength 2e9", () => responses(structured({ type: "string", minLength: 2e9 })), isShort),
  onMessages("minLength 5e8 of an argument", () =>
    messages(called({ type: "object", properties: { a: { type: "string", minLength: 5e8 } }, required: ["a"] }))
  ),
  onResponses("minItems, nested", () =>
    responses(
      structured({ type: "array", minItems: 1e5, items: { type: "array", minItems: 1e5, items: { type: "string" } } })
    )
  ),
  onResponses(
    "a pattern that backtracks",
    () => responses({ ...structured({ type: "string", pattern: "^(a+)+$" }), input: `${"a".repeat(40)}!` }),
    isShort
  ),
  onResponses("a schema of itself", () =>
    responses(structured({ type: "object", properties: { a: { $ref: "#" }, b: { $ref: "#" } }, required: ["a", "b"] }))
  ),
  onResponses("an enum of 90,000", () =>
    responses({ ...structured({ enum: many(90_000, (index) => `choice ${index}`) }), input: "x".repeat(mega) })
  ),
  onMessages("99,000 domains", () => messages(searching(domains)), isShort),
  onMessages("99,000 domains, passed through", () => messages(searching(domains), "behind-messages")),
  onResponses("99,000 domains", () =>
    responses({ tools: [{ type: "web_search", filters: { allowed_domains: domains } }], input: "search 20 times" })
  ),
  onVideos(
    "a 40 MB data: image",
    () =>
      videos({
        content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(39_999_996)}` } }]
      }),
    isShort
  )
]
