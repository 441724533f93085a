import { Effect } from "effect"
import { UsageReport } from "../ledger/store/UsageReport.ts"
import { usageReportOf } from "../ledger/usageReportOf.ts"
import type { UsageQuestion } from "../ledger/usageReportOf.ts"
import { RequestGroups } from "../requests/RequestGroups.ts"
import { RequestStore } from "../requests/store/RequestStore.ts"
import { RequestUsage } from "../requests/RequestUsage.ts"
import { Reports } from "../requests/Reports.ts"
import { AccountEnding } from "./AccountEnding.ts"
import { AccountAdministration } from "./AccountAdministration.ts"
import { ConfigurationAdministration } from "./ConfigurationAdministration.ts"
import { DeliveryAdministration } from "./DeliveryAdministration.ts"
import { Audit } from "./store/Audit.ts"
import { NodeList } from "./store/NodeList.ts"
import { MemberAdministration } from "./MemberAdministration.ts"
import { KeyAdministration } from "./KeyAdministration.ts"
import { TaskAdministration } from "./TaskAdministration.ts"
import { PriceAdministration } from "./PriceAdministration.ts"
import { WebhookAdministration } from "./WebhookAdministration.ts"

/** All operator actions, shared by the command line and the admin API. */
export class Administration extends Effect.Service<Administration>()("gateway/admin/Administration", {
  dependencies: [
    KeyAdministration.Default,
    AccountAdministration.Default,
    AccountEnding.Default,
    MemberAdministration.Default,
    TaskAdministration.Default,
    DeliveryAdministration.Default,
    WebhookAdministration.Default,
    ConfigurationAdministration.Default,
    PriceAdministration.Default,
    Audit.Default,
    NodeList.Default,
    UsageReport.Default,
    RequestStore.Default,
    RequestUsage.Default,
    RequestGroups.Default,
    Reports.Default
  ],
  effect: Effect.gen(function* () {
    const report = yield* UsageReport
    const { by: rowUsage } = yield* RequestUsage
    return {
      keys: yield* KeyAdministration,
      accounts: yield* AccountAdministration,
      ending: yield* AccountEnding,
      members: yield* MemberAdministration,
      tasks: yield* TaskAdministration,
      deliveries: yield* DeliveryAdministration,
      webhooks: yield* WebhookAdministration,
      configuration: yield* ConfigurationAdministration,
      prices: yield* PriceAdministration,
      audit: yield* Audit,
      nodes: yield* NodeList,
      requests: yield* RequestStore,
      groups: yield* RequestGroups,
      reports: yield* Reports,
      /** @param isOperator true shows upstream costs */
      usage: (question: UsageQuestion, isOperator = true) => usageReportOf(report, question, isOperator, rowUsage)
    } as const
  })
}) {}
