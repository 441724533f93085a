import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { eachKeySetting } from "../contract/callers/keySettings.ts"
import { Unpriced } from "../contract/callers/Caller.ts"
import { GuardrailNames } from "../contract/callers/GuardrailNames.ts"
import { ToolPatterns } from "../contract/callers/toolRule.ts"
import { KnownFieldsOnly, MayBeEmpty, OpenedBy } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { integer, required, answerField } from "../contract/fields.ts"
import { WrittenBudgets } from "../contract/budgets/WrittenBudget.ts"
import { LimitsPatch, namesUpTo, Patterns, someOf, Usd } from "./fields.ts"
import { KeyRecord } from "./KeyRecord.ts"
import { PageParams, pageOf } from "../contract/paging.ts"

const IdPath = Schema.Struct({ id: Schema.String.annotations({ description: "The key's id (`key_…`)." }) })

const Time = Schema.String.pipe(
  Schema.filter((text) => /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text)), {
    description: "a time such as 2026-01-31T12:00:00Z",
    jsonSchema: { type: "string", format: "date-time" }
  })
)

const Budget = Schema.Struct({
  usd: required(Usd, "The most it may spend, in dollars."),
  period: required(Schema.Literal("day", "month"), "The period: each UTC day or month.")
})

const Upstreams = namesUpTo(100, "upstreams")

const settings = {
  models: Schema.optional(Schema.NullOr(someOf(Patterns))).annotations({
    description: 'Patterns of the models it may use; `*` stands for any run of characters. Default `["*"]`.'
  }),
  not_models: Schema.optional(Schema.NullOr(Patterns)).annotations({
    description: "Patterns of models it may not use, even if `models` matches them."
  }),
  upstreams: Schema.optional(Schema.NullOr(someOf(Upstreams))).annotations({
    description: "Names of the upstreams that may serve it; null for all."
  }),
  ...eachKeySetting({
    switch: ({ changes: description }) => Schema.optional(Schema.NullOr(Schema.Boolean)).annotations({ description }),
    count: ({ changes: description }) => Schema.optional(Schema.NullOr(integer(1))).annotations({ description }),
    patterns: ({ changes: description }) => Schema.optional(Schema.NullOr(ToolPatterns)).annotations({ description }),
    names: ({ changes: description }) => Schema.optional(Schema.NullOr(GuardrailNames)).annotations({ description })
  }),
  limits: Schema.optional(Schema.NullOr(LimitsPatch)).annotations({ description: "The key's own limits." }),
  budget: Schema.optional(Schema.NullOr(Budget)).annotations({
    description: "The key's only budget: short for `budgets` with one entry. null removes all."
  }),
  budgets: Schema.optional(Schema.NullOr(WrittenBudgets)).annotations({
    description: "All of the key's budgets, 20 at most; null or an empty list removes them. Not together with `budget`."
  }),
  unpriced: Schema.optional(Schema.NullOr(Unpriced)).annotations({
    description:
      "Use of models without a price while its money is counted: `allow` or `refuse`; null for the account's setting."
  }),
  expires_at: Schema.optional(Schema.NullOr(Time)).annotations({
    description: "When the key expires; null for never."
  })
}

const CreateKey = Schema.Struct({
  account: required(Schema.NonEmptyString, "The account that owns the key; it must exist."),
  name: required(Schema.NonEmptyString, "The name."),
  ...settings
}).annotations({ identifier: "CreateKey" })
export type NewKey = typeof CreateKey.Type

const UpdateKey = Schema.Struct({
  name: Schema.optional(Schema.NonEmptyString).annotations({ description: "The name." }),
  version: Schema.optional(Schema.Int).annotations({
    description:
      "The `version` the change is based on. If the record has another one now: 409, with the record in `error.current`."
  }),
  ...settings
}).annotations({ identifier: "UpdateKey" })
export type KeySettings = typeof UpdateKey.Type

const KeyWithSecret = Schema.Struct({
  key: answerField(KeyRecord, "The key."),
  secret: answerField(Schema.String, "The secret, shown this once.")
}).annotations({ identifier: "KeyWithSecret" })

/** A month: who needs longer has another key to make. */
const longestOverlapHours = 720

const OverlapHours = Schema.Number.pipe(
  Schema.filter((hours) => hours >= 0 && hours <= longestOverlapHours, {
    description: `a number of hours from 0 to ${longestOverlapHours}`,
    jsonSchema: { type: "number", minimum: 0, maximum: longestOverlapHours }
  })
)

const RotateSecret = Schema.Struct({
  overlap_hours: Schema.optional(OverlapHours).annotations({
    description: `For how long the old secret works beside the new one, ${longestOverlapHours} at most; by default it ends at once.`
  })
}).annotations({ identifier: "RotateSecret" })

const FindKeys = Schema.Struct({
  secret: required(
    Schema.String,
    "What one has of it: the whole secret, its last four characters or more, or a shown hint (`…abcd`, `gw_…abcd……`)."
  )
}).annotations({ identifier: "FindKeys" })

const FoundKeys = Schema.Struct({
  object: Schema.Literal("found_keys"),
  match: answerField(
    Schema.Literal("secret", "hint"),
    "`secret`: it is the whole secret of the only key. `hint`: each key has four characters in common with it."
  ),
  data: answerField(Schema.Array(KeyRecord), "The keys, revoked and expired ones too; the oldest first, 100 at most.")
}).annotations({ identifier: "FoundKeys" })

const summary = (summary: string) => OpenApi.annotations({ summary })

/** A secret has no place in an address, which others may log. */
const Search = Schema.String.pipe(
  Schema.filter((text) => text.length <= 100 && !/gw_\w{8}/.test(text), {
    message: () => "expected 100 characters at most and no secret: POST that to /admin/v1/keys/find",
    jsonSchema: { type: "string", maxLength: 100 }
  })
)

const KeyQuery = Schema.Struct({
  account: Schema.optional(Schema.String).annotations({ description: "Only this account's." }),
  all: Schema.optional(Schema.Literal("true", "false")).annotations({
    description: "`true`: also keys that are revoked or expired."
  }),
  status: Schema.optional(Schema.Literal("active", "suspended", "expired", "revoked")).annotations({
    description: "Only these keys, also without `all`."
  }),
  search: Schema.optional(Search).annotations({
    description: "A part of its id, its name or its account, in small or capital letters."
  }),
  ...PageParams
})
export type KeyQuery = typeof KeyQuery.Type

/** `/admin/v1/keys`. */
export class AdminKeysApi extends HttpApiGroup.make("adminKeys")
  .add(
    HttpApiEndpoint.get("list", "/admin/v1/keys")
      .setUrlParams(KeyQuery)
      .addSuccess(pageOf(KeyRecord))
      .annotateContext(summary("List keys, oldest first"))
  )
  .add(
    HttpApiEndpoint.post("create", "/admin/v1/keys")
      .setPayload(CreateKey)
      .addSuccess(KeyWithSecret)
      .annotateContext(summary("Create a key"))
  )
  .add(
    HttpApiEndpoint.post("find", "/admin/v1/keys/find")
      .setPayload(FindKeys)
      .addSuccess(FoundKeys)
      .annotateContext(
        OpenApi.annotations({
          summary: "Find the key of a secret",
          description: "For a key that has leaked. The secret is hashed and compared; it is neither stored nor logged."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("show", "/admin/v1/keys/:id")
      .setPath(IdPath)
      .addSuccess(KeyRecord)
      .annotateContext(summary("Read a key"))
  )
  .add(
    HttpApiEndpoint.patch("update", "/admin/v1/keys/:id")
      .setPath(IdPath)
      .setPayload(UpdateKey)
      .addSuccess(KeyRecord)
      .annotateContext(
        OpenApi.annotations({
          summary: "Change a key",
          description: "Fields left out stay as they are; null removes a value."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("revoke", "/admin/v1/keys/:id/revoke")
      .setPath(IdPath)
      .addSuccess(KeyRecord)
      .annotateContext(
        OpenApi.annotations({
          summary: "Revoke a key",
          description: "Final. The key stops working within a second. Revoking a revoked key changes nothing."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("rotateSecret", "/admin/v1/keys/:id/rotate-secret")
      .setPath(IdPath)
      .setPayload(RotateSecret)
      .annotate(MayBeEmpty, true)
      .addSuccess(KeyWithSecret)
      .annotateContext(
        OpenApi.annotations({
          summary: "Rotate a key's secret",
          description:
            "The old secret stops working within a second, or after `overlap_hours`. Another rotation ends it at once, as do the key's end and its expiry."
        })
      )
  )
  .add(
    HttpApiEndpoint.post("resetBudgets", "/admin/v1/keys/:id/reset-budgets")
      .setPath(IdPath)
      .addSuccess(KeyRecord)
      .annotateContext(
        OpenApi.annotations({
          summary: "Reset a key's budgets",
          description: "Its budgets count from 0 again. What requests under way hold counts when they end."
        })
      )
  )
  .addError(CodedError)
  .annotate(OpenedBy, "admin-key")
  .annotate(KnownFieldsOnly, true)
  .annotateContext(OpenApi.annotations({ title: "Keys", description: "API keys of every account." })) {}
