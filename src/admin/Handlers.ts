import { Effect, Layer } from "effect"
import { handlers } from "../contract/handlers.ts"
import { wholeList } from "../contract/paging.ts"
import { Feed } from "../feed/Feed.ts"
import { PendingUsage } from "../ledger/PendingUsage.ts"
import { Reports } from "../requests/Reports.ts"
import { TrafficCosts } from "../requests/TrafficCosts.ts"
import { AccountsHandlers } from "./AccountsHandlers.ts"
import { ToolUse } from "../tools/store/ToolUse.ts"
import { Administration } from "./Administration.ts"
import { ConfigurationsHandlers } from "./ConfigurationsHandlers.ts"
import { KeysHandlers } from "./KeysHandlers.ts"
import { makeLogs } from "./makeLogs.ts"
import { OperationsHandlers } from "./OperationsHandlers.ts"
import { OverviewAdministration } from "./OverviewAdministration.ts"
import { OverviewHandlers } from "./OverviewHandlers.ts"
import { makeOwned } from "./Owned.ts"
import { PricesHandlers } from "./PricesHandlers.ts"
import { Serving } from "./Serving.ts"
import { makeTestUpstream } from "./testUpstream.ts"
import { ToolsHandlers } from "./ToolsHandlers.ts"
import { AdminWatchApi } from "./WatchApi.ts"

const WatchHandlers = handlers(
  AdminWatchApi,
  Effect.map(
    Effect.all([OverviewAdministration, Feed, makeTestUpstream, makeLogs, Reports, makeOwned]),
    ([{ attention, overview }, feed, test, logs, reports, owned]) => ({
      attention: ({ caller }) => reports.ofKey(caller.key, Effect.map(attention, wholeList)),
      overview: ({ caller, urlParams }) =>
        Effect.flatMap(owned.of(caller), (own) => reports.ofKey(caller.key, overview(urlParams, own))),
      events: ({ caller, request, urlParams }) => feed.watch(request, owned.of(caller, urlParams.account)),
      testUpstream: ({ path }) => test(path.name),
      logs: ({ urlParams }) => Effect.sync(() => logs.last(urlParams)),
      followLogs: ({ request, urlParams }) => logs.follow(request, urlParams)
    })
  )
)

/** Serves the admin API. */
export const AdminLive = Layer.mergeAll(
  KeysHandlers,
  AccountsHandlers,
  OperationsHandlers,
  ConfigurationsHandlers,
  PricesHandlers,
  ToolsHandlers.pipe(Layer.provide(ToolUse.Default)),
  WatchHandlers.pipe(Layer.provide(Layer.merge(OverviewAdministration.Default, Reports.Default))),
  OverviewHandlers.pipe(Layer.provide(TrafficCosts.Default))
).pipe(Layer.provide(Layer.mergeAll(Administration.Default, Serving.Default, PendingUsage.Default)))
