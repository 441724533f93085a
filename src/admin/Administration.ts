import { Effect } from "effect"
import { UsageReport } from "../ledger/UsageReport.ts"
import { usageReportOf } from "../ledger/usageReportOf.ts"
import type { UsageQuestion } from "../ledger/usageReportOf.ts"
import { AccountAdministration } from "./AccountAdministration.ts"
import { Audit } from "./Audit.ts"
import { KeyAdministration } from "./KeyAdministration.ts"
import { TaskAdministration } from "./TaskAdministration.ts"
import { WebhookAdministration } from "./WebhookAdministration.ts"

/** Everything that those who run the gateway can do: the command line and the admin API are two doors to it. */
export class Administration extends Effect.Service<Administration>()("gateway/admin/Administration", {
  dependencies: [
    KeyAdministration.Default,
    AccountAdministration.Default,
    TaskAdministration.Default,
    WebhookAdministration.Default,
    Audit.Default,
    UsageReport.Default
  ],
  effect: Effect.gen(function* () {
    const report = yield* UsageReport
    return {
      keys: yield* KeyAdministration,
      accounts: yield* AccountAdministration,
      tasks: yield* TaskAdministration,
      webhooks: yield* WebhookAdministration,
      audit: yield* Audit,
      usage: (question: UsageQuestion) => usageReportOf(report, question)
    } as const
  })
}) {}
