import type { Operation } from "../../src/people/signIn/reach.ts"

/** The records that an operation is tried with: of an account, one of its keys, a task and so on. */
export interface Things {
  readonly account: string
  readonly key: string
  readonly task: string
  readonly request: string
  readonly delivery: string
  /** The entry of the audit log that made its key. */
  readonly entry: string
}

interface Sample {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  readonly path: string
  readonly body?: object
  /** `list`: its answer holds records; `one`: it addresses one by id; `made`: its body names the account. */
  readonly kind: "list" | "one" | "made" | "sum" | "whole"
}

const get = (kind: Sample["kind"], path: string): Sample => ({ method: "GET", kind, path })
const post = (kind: Sample["kind"], path: string, body: object = {}): Sample => ({ method: "POST", kind, path, body })

/** One request for each operation; one without a sample does not compile. */
export const samplesOf = ({ account, delivery, entry, key, request, task }: Things) =>
  ({
    "adminKeys.list": get("list", "/admin/v1/keys"),
    "adminKeys.create": post("made", "/admin/v1/keys", { account, name: "made" }),
    "adminKeys.find": post("whole", "/admin/v1/keys/find", { secret: "nobody's" }),
    "adminKeys.show": get("one", `/admin/v1/keys/${key}`),
    "adminKeys.update": { method: "PATCH", kind: "one", path: `/admin/v1/keys/${key}`, body: { name: "named" } },
    "adminKeys.revoke": post("one", `/admin/v1/keys/${key}/revoke`),
    "adminKeys.rotateSecret": post("one", `/admin/v1/keys/${key}/rotate-secret`),
    "adminKeys.resetBudgets": post("one", `/admin/v1/keys/${key}/reset-budgets`),
    "adminAccounts.list": get("list", "/admin/v1/accounts"),
    "adminAccounts.create": post("whole", "/admin/v1/accounts", { id: "another" }),
    "adminAccounts.show": get("one", `/admin/v1/accounts/${account}`),
    "adminAccounts.update": { method: "PATCH", kind: "one", path: `/admin/v1/accounts/${account}`, body: {} },
    "adminAccounts.suspend": post("one", `/admin/v1/accounts/${account}/suspend`),
    "adminAccounts.resume": post("one", `/admin/v1/accounts/${account}/resume`),
    "adminAccounts.delete": { method: "DELETE", kind: "one", path: `/admin/v1/accounts/${account}` },
    "adminAccounts.credit": post("one", `/admin/v1/accounts/${account}/credit`, { usd: "1" }),
    "adminAccounts.resetBudgets": post("one", `/admin/v1/accounts/${account}/reset-budgets`),
    "adminAccounts.grants": get("one", `/admin/v1/accounts/${account}/grants`),
    "adminAccounts.members": get("one", `/admin/v1/accounts/${account}/members`),
    "adminAccounts.webhookSecrets": get("one", `/admin/v1/accounts/${account}/webhook-secrets`),
    "adminAccounts.rotateWebhookSecret": post("one", `/admin/v1/accounts/${account}/webhook-secrets/rotate`),
    "adminOperations.listTasks": get("list", "/admin/v1/tasks"),
    "adminOperations.showTask": get("one", `/admin/v1/tasks/${task}`),
    "adminOperations.cancelTask": post("one", `/admin/v1/tasks/${task}/cancel`),
    "adminOperations.usage": get("sum", "/admin/v1/usage?by=account"),
    "adminOperations.listRequests": get("list", "/admin/v1/requests"),
    "adminOperations.exportRequests": get("list", "/admin/v1/requests/export?format=jsonl"),
    "adminOperations.requestHistogram": get("sum", "/admin/v1/requests/histogram"),
    "adminOperations.showRequest": get("one", `/admin/v1/requests/${request}`),
    "adminOperations.listDeliveries": get("list", "/admin/v1/deliveries"),
    "adminOperations.redeliver": post("one", `/admin/v1/deliveries/${delivery}/redeliver`),
    "adminOperations.upstreams": get("whole", "/admin/v1/upstreams"),
    "adminOperations.models": get("whole", "/admin/v1/models"),
    "adminOperations.nodes": get("whole", "/admin/v1/nodes"),
    "adminOperations.audit": get("list", "/admin/v1/audit"),
    "adminOperations.showAudit": get("one", `/admin/v1/audit/${entry}`),
    "adminWatch.overview": get("sum", "/admin/v1/overview?by=account"),
    "adminWatch.attention": get("whole", "/admin/v1/attention"),
    "adminWatch.events": get("whole", "/admin/v1/events"),
    "adminWatch.testUpstream": post("whole", "/admin/v1/upstreams/sandbox/test"),
    "adminWatch.logs": get("whole", "/admin/v1/logs"),
    "adminWatch.followLogs": get("whole", "/admin/v1/logs/events"),
    "adminOverview.groups": get("sum", "/admin/v1/overview/groups?by=account"),
    "adminOverview.cost": get("sum", "/admin/v1/overview/cost?on=priced"),
    "adminConfigurations.list": get("whole", "/admin/v1/configurations"),
    "adminConfigurations.show": get("whole", "/admin/v1/configurations/1"),
    "adminConfigurations.apply": post("whole", "/admin/v1/configurations", { document: "{}" }),
    "adminConfigurations.reapply": post("whole", "/admin/v1/configurations/1/apply"),
    "adminPrices.refresh": post("whole", "/admin/v1/prices/refresh"),
    "adminPrices.reset": { method: "DELETE", kind: "whole", path: "/admin/v1/prices" },
    "adminTools.list": get("sum", "/admin/v1/tools"),
    "adminTools.test": post("whole", "/admin/v1/tools/sandbox-tools/test"),
    "adminSessions.list": get("whole", "/admin/v1/sessions"),
    "adminSessions.revoke": { method: "DELETE", kind: "whole", path: "/admin/v1/sessions/session_none" },
    "pages.metrics": get("whole", "/metrics")
  }) as const satisfies Record<Operation, Sample>

export type { Sample }
