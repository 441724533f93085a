import { Effect, Layer } from "effect"
import { handlers } from "../contract/handlers.ts"
import { Feed } from "../feed/Feed.ts"
import { BudgetReport } from "../ledger/store/BudgetReport.ts"
import { Quoters } from "../ledger/Quote.ts"
import { StoredHolds } from "../ledger/store/StoredHolds.ts"
import { UsageReport } from "../ledger/store/UsageReport.ts"
import { usageAnswer } from "../ledger/usageAnswer.ts"
import { usageReportOf } from "../ledger/usageReportOf.ts"
import { requestOf } from "../requests/ask.ts"
import { histogramOf } from "../requests/RequestHistogram.ts"
import { requestExport } from "../requests/requestExport.ts"
import { requestPage } from "../requests/RequestPage.ts"
import { groupsAnswer } from "../requests/groupsAnswer.ts"
import { RequestGroups } from "../requests/RequestGroups.ts"
import { filterOf } from "../requests/RequestQuery.ts"
import { RequestOverview } from "../requests/RequestOverview.ts"
import { Reports } from "../requests/Reports.ts"
import { RequestUsage } from "../requests/RequestUsage.ts"
import { RequestStore } from "../requests/store/RequestStore.ts"
import { TaskStore } from "../tasks/TaskStore.ts"
import { accountView } from "./AccountView.ts"
import { AccountApi } from "./Api.ts"
import { makeBalance } from "./Balance.ts"
import { ownTasks } from "./listing.ts"
import { quote } from "./quote.ts"
import { ownOf } from "../contract/callers/Own.ts"

const AccountHandlers = handlers(
  AccountApi,
  Effect.gen(function* () {
    const report = yield* UsageReport
    const { by: rowUsage } = yield* RequestUsage
    const balance = yield* makeBalance
    const quoters = yield* Quoters
    const requests = yield* RequestStore
    const overviews = yield* RequestOverview
    const groups = yield* RequestGroups
    const tasks = yield* TaskStore
    const holds = yield* StoredHolds
    const feed = yield* Feed
    const reports = yield* Reports

    return {
      balance: ({ caller }) => balance(caller),
      own: ({ caller }) => Effect.map(balance(caller), (money) => accountView(money, caller)),
      requests: ({ caller, urlParams }) => reports.ofKey(caller.key, requestPage(requests, urlParams, ownOf(caller))),
      exportRequests: ({ caller, request, urlParams }) =>
        requestExport(requests, urlParams, request, (read) => reports.ofKey(caller.key, read), ownOf(caller)),
      requestHistogram: ({ caller, urlParams: { buckets, from, to, ...query } }) =>
        reports.ofKey(
          caller.key,
          histogramOf(
            requests,
            { ...filterOf(query), owner: caller.account, keys: caller.person?.keys },
            { buckets, from, to }
          )
        ),
      overview: ({ caller, urlParams }) => reports.ofKey(caller.key, overviews.of(urlParams, ownOf(caller))),
      overviewGroups: ({ caller, request, urlParams }) =>
        reports.ofKey(
          caller.key,
          groupsAnswer(urlParams, request.headers, (asked) => groups.of(asked, ownOf(caller)))
        ),
      tasks: ({ caller, urlParams }) => reports.ofKey(caller.key, ownTasks(tasks, holds, ownOf(caller), urlParams)),
      events: ({ caller, request }) => feed.watch(request, Effect.succeed(ownOf(caller))),
      request: ({ caller, path }) => requestOf(requests, path.id, ownOf(caller)),
      quote: ({ caller, payload, request }) => quote(quoters, caller, payload, request.headers),
      usage: ({ caller, request, urlParams }) =>
        reports.ofKey(
          caller.key,
          usageAnswer(
            { ...urlParams, account: caller.account, keys: caller.person?.keys },
            request.headers,
            (question) => usageReportOf(report, question, false, rowUsage)
          )
        )
    }
  })
)

/** Serves an account's own pages. */
export const AccountLive = AccountHandlers.pipe(
  Layer.provide(
    Layer.mergeAll(
      StoredHolds.Default,
      UsageReport.Default,
      BudgetReport.Default,
      RequestStore.Default,
      RequestUsage.Default,
      RequestOverview.Default,
      RequestGroups.Default,
      Reports.Default
    )
  )
)
