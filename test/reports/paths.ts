/** The reports, lists and exports of accounts, by what each reads. */
export const ownPaths: ReadonlyArray<string> = [
  "/v1/usage?since=365d&by=day",
  "/v1/usage?since=365d&by=key,day&format=csv",
  "/v1/usage?since=30d&by=upstream,model",
  "/v1/usage?since=30d&by=tag",
  "/v1/usage?since=30d&by=request&limit=1000",
  "/v1/usage?since=30d&by=request&format=csv",
  "/v1/overview?from=30d",
  "/v1/overview?from=6h&step=60",
  "/v1/overview/groups?from=14d&by=key,model",
  "/v1/overview/groups?from=14d&by=tag",
  "/v1/requests?limit=1000",
  "/v1/requests?search=nothing",
  "/v1/requests/histogram?from=30d",
  "/v1/requests/histogram?from=30d&model=model-1",
  "/v1/requests/export?since=2d",
  "/v1/requests/export?since=2d&format=jsonl",
  "/v1/balance",
  "/v1/tasks?limit=1000"
]

/** Those of operators. */
export const adminPaths: ReadonlyArray<string> = [
  "/admin/v1/usage?since=365d&by=account,day",
  "/admin/v1/usage?since=365d&by=key,model&format=csv",
  "/admin/v1/usage?since=30d&by=request&limit=1000",
  "/admin/v1/overview?from=30d",
  "/admin/v1/overview?from=30d&by=tag",
  "/admin/v1/overview/groups?from=14d&by=upstream",
  "/admin/v1/overview/groups?from=14d&by=account,key&format=csv",
  "/admin/v1/overview/cost?from=14d&on=sandbox-text",
  "/admin/v1/keys?limit=1000",
  "/admin/v1/accounts?limit=1000",
  "/admin/v1/models?since=30d",
  "/admin/v1/attention",
  "/admin/v1/requests?limit=1000",
  "/admin/v1/requests/export?since=2d",
  "/admin/v1/audit?limit=1000&account=team",
  "/admin/v1/tasks?limit=1000",
  "/admin/v1/deliveries?limit=1000",
  "/admin/v1/nodes",
  "/metrics"
]

/** Those that held the event loop longest where they were read at once. */
export const longestPaths: ReadonlyArray<string> = [
  "/v1/usage?since=365d&by=key,day&format=csv",
  "/v1/usage?since=30d&by=request&format=csv",
  "/v1/overview/groups?from=14d&by=tag",
  "/v1/requests/histogram?from=30d",
  "/v1/requests/export?since=2d&format=jsonl",
  "/admin/v1/usage?since=365d&by=account,day",
  "/admin/v1/overview?from=30d&by=tag",
  "/admin/v1/keys?limit=1000",
  "/admin/v1/attention"
]
