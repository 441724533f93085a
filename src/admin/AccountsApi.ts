import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { eachSetting } from "../contract/callers/accountSettings.ts"
import { Unpriced } from "../contract/callers/Caller.ts"
import { GuardrailNames } from "../contract/callers/GuardrailNames.ts"
import { ToolPatterns } from "../contract/callers/toolRule.ts"
import { KnownFieldsOnly, OpenedBy } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { alsoCsv } from "../contract/text/alsoCsv.ts"
import { integer, required, answerField } from "../contract/fields.ts"
import { WrittenBudgets } from "../contract/budgets/WrittenBudget.ts"
import { AccountDeleted } from "./AccountDeleted.ts"
import { AccountRecord, GrantRecord } from "./AccountRecord.ts"
import { MemberRecord } from "./MemberRecord.ts"
import { AccountName, LimitsPatch, namesUpTo, Patterns, someOf, Usd } from "./fields.ts"
import { PageParams, pageOf } from "../contract/paging.ts"

const IdPath = Schema.Struct({ id: Schema.String.annotations({ description: "The account's id." }) })

/** Every search result of a request is matched against all of them. */
const mostDomains = 200

const Domains = Schema.optional(Schema.NullOr(someOf(namesUpTo(mostDomains, "domains"))))

const settings = {
  models: Schema.optional(Schema.NullOr(someOf(Patterns))).annotations({
    description: "Patterns of the only models that its keys may use, within what each key may; null for all."
  }),
  not_models: Schema.optional(Schema.NullOr(Patterns)).annotations({
    description: "Patterns of models that none of its keys may use; null for none."
  }),
  limits: Schema.optional(Schema.NullOr(LimitsPatch)).annotations({ description: "Limits over all its keys." }),
  unpriced: Schema.optional(Schema.NullOr(Unpriced)).annotations({
    description:
      "Use of models without a price while it has a balance: `allow` or `refuse`; null for the configuration's setting."
  }),
  budgets: Schema.optional(Schema.NullOr(WrittenBudgets)).annotations({
    description: "Its budgets, over all its keys, 20 at most; null or an empty list removes them."
  }),
  ...eachSetting({
    switch: ({ changes: description }) => Schema.optional(Schema.Boolean).annotations({ description }),
    count: ({ changes: description }) => Schema.optional(Schema.NullOr(integer(1))).annotations({ description }),
    patterns: ({ changes: description }) => Schema.optional(Schema.NullOr(ToolPatterns)).annotations({ description }),
    names: ({ changes: description }) => Schema.optional(Schema.NullOr(GuardrailNames)).annotations({ description })
  }),
  search_allowed: Domains.annotations({ description: "The only domains that web searches find; null for all." }),
  search_blocked: Domains.annotations({ description: "Web searches never find these domains; null for none." }),
  webhook_url: Schema.optional(Schema.NullOr(Schema.String)).annotations({
    description:
      "A public http(s) address that gets `video.completed` and `video.failed` of its video tasks, in the shape of OpenAI's webhooks; null for none."
  })
}

const CreateAccount = Schema.Struct({
  id: required(AccountName, "The name."),
  balance_usd: Schema.optional(Schema.NullOr(Usd)).annotations({
    description: "The first dollars. Without it spending is unlimited until the account is credited."
  }),
  ...settings
}).annotations({ identifier: "CreateAccount" })

const UpdateAccount = Schema.Struct({
  unmetered: Schema.optional(Schema.Boolean).annotations({
    description: "`true` removes the balance: spending is unlimited."
  }),
  version: Schema.optional(Schema.Int).annotations({
    description:
      "The `version` the change is based on. If the record has another one now: 409, with the record in `error.current`."
  }),
  ...settings
}).annotations({ identifier: "UpdateAccount" })
export type AccountSettings = typeof UpdateAccount.Type

const Credit = Schema.Struct({
  usd: required(Usd, "Dollars. A negative amount is withdrawn."),
  note: Schema.optional(Schema.NullOr(Schema.String)).annotations({ description: "The purpose." })
}).annotations({ identifier: "Credit" })

const WebhookSecrets = Schema.Struct({
  object: Schema.Literal("webhook_secrets"),
  account: answerField(Schema.String, "The account whose callbacks they sign."),
  secrets: answerField(Schema.Array(Schema.String), "All active signing secrets (`whsec_…`), newest first.")
}).annotations({ identifier: "WebhookSecrets" })

const summary = (summary: string, description?: string) =>
  OpenApi.annotations({ summary, ...(description === undefined ? {} : { description }) })

/** `/admin/v1/accounts`. */
export class AdminAccountsApi extends HttpApiGroup.make("adminAccounts")
  .add(
    HttpApiEndpoint.get("list", "/admin/v1/accounts")
      .setUrlParams(Schema.Struct(PageParams))
      .addSuccess(pageOf(AccountRecord))
      .annotateContext(summary("List accounts, by id"))
  )
  .add(
    HttpApiEndpoint.post("create", "/admin/v1/accounts")
      .setPayload(CreateAccount)
      .addSuccess(AccountRecord)
      .annotateContext(summary("Create an account"))
  )
  .add(
    HttpApiEndpoint.get("show", "/admin/v1/accounts/:id")
      .setPath(IdPath)
      .addSuccess(AccountRecord)
      .annotateContext(summary("Read an account"))
  )
  .add(
    HttpApiEndpoint.patch("update", "/admin/v1/accounts/:id")
      .setPath(IdPath)
      .setPayload(UpdateAccount)
      .addSuccess(AccountRecord)
      .annotateContext(summary("Change an account", "Fields left out stay as they are; null removes a value."))
  )
  .add(
    HttpApiEndpoint.post("suspend", "/admin/v1/accounts/:id/suspend")
      .setPath(IdPath)
      .addSuccess(AccountRecord)
      .annotateContext(
        summary("Suspend an account", "Its keys stop working within a second. Running work is finished.")
      )
  )
  .add(
    HttpApiEndpoint.post("resume", "/admin/v1/accounts/:id/resume")
      .setPath(IdPath)
      .addSuccess(AccountRecord)
      .annotateContext(summary("End an account's suspension"))
  )
  .add(
    HttpApiEndpoint.del("delete", "/admin/v1/accounts/:id")
      .setPath(IdPath)
      .addSuccess(AccountDeleted)
      .annotateContext(
        summary(
          "Delete a suspended account",
          "Removes its responses, chat completions, conversations, tasks, files, rows of requests and kept answers. Its usage and payments are kept. Refused with 409 unless it is suspended and has no unfinished tasks."
        )
      )
  )
  .add(
    HttpApiEndpoint.post("credit", "/admin/v1/accounts/:id/credit")
      .setPath(IdPath)
      .setPayload(Credit)
      .addSuccess(AccountRecord)
      .annotateContext(
        summary("Credit an account", "The first credit makes it metered: from then on it can only spend its balance.")
      )
  )
  .add(
    HttpApiEndpoint.post("resetBudgets", "/admin/v1/accounts/:id/reset-budgets")
      .setPath(IdPath)
      .addSuccess(AccountRecord)
      .annotateContext(
        summary(
          "Reset an account's budgets",
          "Its own budgets count from 0 again; those of its keys go on. What requests under way hold counts when they end."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("grants", "/admin/v1/accounts/:id/grants")
      .setPath(IdPath)
      .setUrlParams(Schema.Struct({ limit: PageParams.limit }))
      .addSuccess(pageOf(GrantRecord))
      .annotateContext(summary("List an account's credits, newest first"))
  )
  .add(
    HttpApiEndpoint.get("members", "/admin/v1/accounts/:id/members")
      .setPath(IdPath)
      .setUrlParams(
        Schema.Struct({
          ...PageParams,
          format: Schema.optional(Schema.Literal("json", "csv")).annotations({
            description: "`csv` gives all rows as CSV, as `Accept: text/csv` does. Default `json`."
          })
        })
      )
      .addSuccess(pageOf(MemberRecord))
      .annotateContext(
        alsoCsv({
          summary: "List the people of an account",
          description:
            "People whose role reaches the account, by name, as `sign_in` says now. Those who were removed are left out."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("webhookSecrets", "/admin/v1/accounts/:id/webhook-secrets")
      .setPath(IdPath)
      .addSuccess(WebhookSecrets)
      .annotateContext(summary("Read the secrets that sign an account's callbacks"))
  )
  .add(
    HttpApiEndpoint.post("rotateWebhookSecret", "/admin/v1/accounts/:id/webhook-secrets/rotate")
      .setPath(IdPath)
      .addSuccess(WebhookSecrets)
      .annotateContext(summary("Rotate an account's webhook secret", "The old secret also signs for two more days."))
  )
  .addError(CodedError)
  .annotate(OpenedBy, "admin-key")
  .annotate(KnownFieldsOnly, true)
  .annotateContext(OpenApi.annotations({ title: "Accounts", description: "Accounts own keys, tasks and money." })) {}
