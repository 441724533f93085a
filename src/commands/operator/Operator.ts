import { Context, Data } from "effect"
import type { Effect, Redacted, Stream } from "effect"
import type { AccountOptions } from "../../admin/AccountAdministration.ts"
import type { AccountDeleted } from "../../admin/AccountDeleted.ts"
import type { AccountRecord, GrantRecord } from "../../admin/AccountRecord.ts"
import type { AuditRecord } from "../../admin/AuditRecord.ts"
import type { AuditFilter } from "../../admin/store/Audit.ts"
import type { ConfigurationDocument, ConfigurationRecord } from "../../admin/ConfigurationRecord.ts"
import type { DeliverySummary } from "../../admin/DeliverySummary.ts"
import type { KeyOptions, KeysOfSecret, KeyWithSecret } from "../../admin/KeyAdministration.ts"
import type { KeyRecord } from "../../admin/KeyRecord.ts"
import type { LogQuery } from "../../admin/LogLines.ts"
import type { MemberRecord } from "../../admin/MemberRecord.ts"
import type { NodeRecord } from "../../admin/NodeRecord.ts"
import type { Attention } from "../../admin/OverviewRecord.ts"
import type { PriceListRecord } from "../../admin/PriceListRecord.ts"
import type { TaskSummary } from "../../admin/TaskSummary.ts"
import type { ModelRecord, UpstreamRecord } from "../../admin/UpstreamRecord.ts"
import type { SigningSecrets } from "../../admin/WebhookAdministration.ts"
import type { BadSettings } from "../../config/document.ts"
import type { SessionRecord } from "../../console/SessionRecord.ts"
import type { DeliveryPage } from "../../callbacks/store/DeliveryList.ts"
import type { JsonObject } from "../../contract/fields.ts"
import type { Failure } from "../../contract/Failure.ts"
import type { UsageRecord } from "../../ledger/UsageRecord.ts"
import type { UsageQuestion } from "../../ledger/usageReportOf.ts"
import type { HistogramAsked, RequestHistogram } from "../../requests/RequestHistogram.ts"
import type { OverviewGroups } from "../../requests/OverviewGroups.ts"
import type { GroupsAsked } from "../../requests/RequestGroups.ts"
import type { RequestPage } from "../../requests/RequestPage.ts"
import type { RequestDetail, RequestView } from "../../requests/RequestView.ts"
import type { RequestFilter } from "../../requests/store/matching.ts"
import type { TrafficCost } from "../../requests/TrafficCost.ts"
import type { TrafficAsked } from "../../requests/TrafficCosts.ts"
import type { TaskPage } from "../../tasks/TaskSummary.ts"

/** The database or the remote gateway can't be reached; the message has the address and the remedy. */
export class Unreachable extends Data.TaggedError("Unreachable")<{ readonly message: string }> {}

export type Answer<A> = Effect.Effect<A, Failure | Unreachable>
type All<A> = Answer<ReadonlyArray<A>>

interface KeyFilter {
  readonly account?: string | undefined
  /** Include revoked and expired keys. */
  readonly all: boolean
  readonly status?: KeyRecord["status"] | undefined
  readonly search?: string | undefined
  readonly limit: number
}

/** The task after the cancellation, and a sentence for the user. */
interface Cancelling {
  readonly task: TaskSummary
  readonly words: string
}

/** The operations behind commands, on this machine's database or a remote gateway. Lists have at most `limit` rows. */
export interface Operations {
  readonly keys: {
    readonly list: (filter: KeyFilter) => All<KeyRecord>
    readonly show: (id: string) => Answer<KeyRecord>
    /** @param part of a secret */
    readonly ofSecret: (part: Redacted.Redacted) => Answer<KeysOfSecret>
    readonly create: (
      options: KeyOptions & { readonly account: string; readonly name: string }
    ) => Answer<KeyWithSecret>
    readonly update: (id: string, options: KeyOptions) => Answer<KeyRecord>
    /** `revoked` is false if the key was revoked before. */
    readonly revoke: (id: string) => Answer<{ readonly key: KeyRecord; readonly revoked: boolean }>
    readonly rotateSecret: (id: string) => Answer<KeyWithSecret>
    readonly resetBudgets: (id: string) => Answer<KeyRecord>
  }
  readonly accounts: {
    readonly list: (limit: number) => All<AccountRecord>
    readonly show: (id: string) => Answer<AccountRecord>
    readonly create: (
      id: string,
      options: AccountOptions & { readonly nanoUsd?: number | undefined }
    ) => Answer<AccountRecord>
    readonly set: (
      id: string,
      options: AccountOptions & { readonly unmetered?: boolean | undefined }
    ) => Answer<AccountRecord>
    readonly credit: (id: string, nanoUsd: number, note: string) => Answer<AccountRecord>
    readonly resetBudgets: (id: string) => Answer<AccountRecord>
    readonly suspend: (id: string) => Answer<AccountRecord>
    readonly resume: (id: string) => Answer<AccountRecord>
    readonly delete: (id: string) => Answer<AccountDeleted>
    readonly grantsOf: (id: string, limit: number) => All<GrantRecord>
    readonly members: (id: string) => All<MemberRecord>
  }
  readonly tasks: {
    readonly list: (page: TaskPage) => All<TaskSummary>
    readonly show: (id: string) => Answer<TaskSummary>
    readonly cancel: (id: string) => Answer<Cancelling>
  }
  readonly deliveries: {
    readonly list: (page: DeliveryPage) => All<DeliverySummary>
    readonly redeliver: (id: string) => Answer<DeliverySummary>
  }
  readonly webhooks: {
    readonly show: (account: string) => Answer<SigningSecrets>
    readonly rotate: (account: string) => Answer<SigningSecrets>
  }
  readonly requests: {
    readonly list: (filter: RequestFilter, limit: number) => All<RequestView>
    readonly show: (id: string) => Answer<RequestDetail>
    /** The newest requests of a conversation, with the sums of all. */
    readonly conversation: (account: string, name: string) => Answer<RequestPage>
    /** All matching requests, newest first, some hundreds at a time. */
    readonly all: (filter: RequestFilter) => Stream.Stream<ReadonlyArray<RequestView>, Failure | Unreachable>
    readonly histogram: (filter: RequestFilter, span: HistogramAsked) => Answer<RequestHistogram>
    /** Each run of the inner effect gives the requests that ended since the last run, oldest first. */
    readonly follow: (filter: RequestFilter) => Answer<All<RequestView>>
  }
  /** The figures of groups beside the period before. */
  readonly groups: (asked: GroupsAsked) => Answer<OverviewGroups>
  /** The cost of past traffic on another model; only a running gateway knows its price. */
  readonly costOn: (model: string, asked: TrafficAsked) => Answer<TrafficCost>
  readonly usage: (question: UsageQuestion) => Answer<UsageRecord>
  readonly audit: {
    readonly list: (filter: AuditFilter) => All<AuditRecord>
    readonly show: (id: number) => Answer<AuditRecord>
  }
  readonly nodes: All<NodeRecord>
  /** Problems, the worst first, as the answering process sees them. */
  readonly attention: All<Attention>
  /** Upstreams as the answering process sees them; the database does not know them. */
  readonly upstreams: All<UpstreamRecord>
  /** @param since the start of the use to report, as `TimeQuery` */
  readonly models: (since: string) => All<ModelRecord>
  /** The configuration in the database; lists are newest first. */
  readonly configuration: {
    /** @param given.name the document's name in messages */
    readonly apply: (given: {
      readonly name: string
      readonly document: string
      readonly note: string | null
    }) => Effect.Effect<ConfigurationRecord, Failure | Unreachable | BadSettings>
    readonly rollback: (version: number | undefined) => Answer<ConfigurationRecord>
    readonly show: (version: number | undefined) => Answer<ConfigurationDocument>
    readonly history: (limit: number) => All<ConfigurationRecord>
  }
  /** The fetched list of prices. */
  readonly prices: {
    /** @param accepts true to use prices that moved more than tenfold, too */
    readonly refresh: (accepts: boolean) => Answer<PriceListRecord>
    /** False if there was none. */
    readonly reset: Answer<boolean>
  }
  /** Sessions of the console. */
  readonly sessions: {
    readonly list: (limit: number) => All<SessionRecord>
    readonly revoke: (id: string) => Answer<SessionRecord>
  }
  /** The log: its newest lines, or those followed by new ones. */
  readonly logs: {
    readonly last: (query: LogQuery) => All<JsonObject>
    readonly follow: (query: LogQuery) => Stream.Stream<JsonObject, Failure | Unreachable>
  }
}

/** The operations of the gateway that a command works on. */
export class Operator extends Context.Tag("gateway/commands/operator/Operator")<Operator, Operations>() {}
