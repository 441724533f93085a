/**
 * The endpoints that the page calls, by group and name of the contract. The page has the contract's types alone: its
 * schemas and clients are 400 KB of script, which browsers read before the first word is shown.
 */
export const endpoints = {
  admin: {
    adminKeys: {
      list: "GET /admin/v1/keys",
      create: "POST /admin/v1/keys",
      find: "POST /admin/v1/keys/find",
      update: "PATCH /admin/v1/keys/:id",
      revoke: "POST /admin/v1/keys/:id/revoke",
      rotateSecret: "POST /admin/v1/keys/:id/rotate-secret"
    },
    adminAccounts: {
      list: "GET /admin/v1/accounts",
      create: "POST /admin/v1/accounts",
      show: "GET /admin/v1/accounts/:id",
      members: "GET /admin/v1/accounts/:id/members",
      update: "PATCH /admin/v1/accounts/:id",
      suspend: "POST /admin/v1/accounts/:id/suspend",
      resume: "POST /admin/v1/accounts/:id/resume",
      delete: "DELETE /admin/v1/accounts/:id",
      credit: "POST /admin/v1/accounts/:id/credit",
      resetBudgets: "POST /admin/v1/accounts/:id/reset-budgets"
    },
    adminOperations: {
      listTasks: "GET /admin/v1/tasks",
      showTask: "GET /admin/v1/tasks/:id",
      cancelTask: "POST /admin/v1/tasks/:id/cancel",
      usage: "GET /admin/v1/usage",
      listRequests: "GET /admin/v1/requests",
      requestHistogram: "GET /admin/v1/requests/histogram",
      showRequest: "GET /admin/v1/requests/:id",
      listDeliveries: "GET /admin/v1/deliveries",
      redeliver: "POST /admin/v1/deliveries/:id/redeliver",
      upstreams: "GET /admin/v1/upstreams",
      models: "GET /admin/v1/models",
      audit: "GET /admin/v1/audit",
      showAudit: "GET /admin/v1/audit/:id"
    },
    adminWatch: {
      overview: "GET /admin/v1/overview",
      testUpstream: "POST /admin/v1/upstreams/:name/test"
    },
    adminTools: {
      list: "GET /admin/v1/tools",
      test: "POST /admin/v1/tools/:server/test"
    },
    adminOverview: {
      groups: "GET /admin/v1/overview/groups",
      cost: "GET /admin/v1/overview/cost"
    }
  },
  own: {
    account: {
      balance: "GET /v1/balance",
      usage: "GET /v1/usage",
      quote: "POST /v1/quote",
      request: "GET /v1/requests/:id",
      requests: "GET /v1/requests",
      requestHistogram: "GET /v1/requests/histogram",
      overview: "GET /v1/overview",
      overviewGroups: "GET /v1/overview/groups",
      tasks: "GET /v1/tasks"
    },
    models: {
      list: "GET /v1/models"
    },
    videos: {
      find: "GET /api/v3/contents/generations/tasks/:id",
      remove: "DELETE /api/v3/contents/generations/tasks/:id",
      deliveries: "GET /api/v3/contents/generations/tasks/:id/deliveries",
      redeliver: "POST /api/v3/contents/generations/tasks/:id/deliveries/:delivery/redeliver"
    }
  },
  console: {
    session: {
      show: "GET /console/session",
      open: "POST /console/session",
      close: "DELETE /console/session"
    },
    devices: {
      show: "POST /console/devices/find",
      decide: "POST /console/devices/decide",
      showRequest: "POST /console/authorizations/find",
      decideRequest: "POST /console/authorizations/decide"
    },
    tools: {
      list: "GET /console/tools/connections",
      connect: "POST /console/tools/:server/connect",
      disconnect: "DELETE /console/tools/:server"
    },
    adminSessions: {
      list: "GET /admin/v1/sessions",
      revoke: "DELETE /admin/v1/sessions/:id"
    }
  }
} as const
