import { Provider } from "oidc-provider"

/*
 * A provider in a process of its own, by a certified library. Its host is `localhost`, so that it is another site than the
 * gateway's `127.0.0.1`. It signs in each name that is typed into its form. Below `/-/` is what an administrator does:
 * `remove` forgets a person until `restore`, `group` moves one, and
 * `away` answers everything with 503 until `back`.
 */
const groups = new Map<string, ReadonlyArray<string>>([
  ["ann", ["platform"]],
  ["bob", ["team-a", "team-b"]]
])
const removed = new Set<string>()
let isAway = false
const gateway = process.env["GATEWAY_URL"] ?? ""
/** Of its operators, if they have one of their own. */
const admin = process.env["ADMIN_URL"]
const dex = process.env["DEX_URL"]
const port = Number(process.env["PROVIDER_PORT"])

const provider = new Provider(`http://localhost:${port}`, {
  clients: [
    {
      client_id: "gateway",
      client_secret: "gateway-secret",
      grant_types: ["authorization_code", "refresh_token"],
      // The second is that of `claude gateway` (test/agents/login).
      redirect_uris: [
        `${gateway}/sign-in/callback`,
        `${gateway}/oauth/callback`,
        ...(admin === undefined ? [] : [`${admin}/sign-in/callback`])
      ],
      post_logout_redirect_uris: [
        `${gateway}/console`,
        ...(admin === undefined ? [] : [`${admin}/console`, `${gateway}/console/device`])
      ],
      backchannel_logout_uri: `${gateway}/sign-in/logout`,
      backchannel_logout_session_required: true
    },
    // Dex, which has people of this provider (test/people/others/dex.ts).
    ...(dex === undefined
      ? []
      : [
          {
            client_id: "dex",
            client_secret: "dex-secret",
            grant_types: ["authorization_code", "refresh_token"],
            redirect_uris: [`${dex}/callback`]
          }
        ]),
    // A program with its own credentials, which asks for tokens of the gateway.
    {
      client_id: "batch",
      client_secret: "batch-secret",
      grant_types: ["client_credentials"],
      redirect_uris: [],
      response_types: []
    }
  ],
  findAccount: (_, id) =>
    removed.has(id)
      ? undefined
      : {
          accountId: id,
          claims: () => ({ sub: id, email: `${id}@corp.test`, email_verified: true, groups: groups.get(id) ?? [] })
        },
  claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["groups"] },
  scopes: ["openid", "email", "profile", "offline_access"],
  features: {
    devInteractions: { enabled: true },
    backchannelLogout: { enabled: true },
    clientCredentials: { enabled: true },
    resourceIndicators: {
      enabled: true,
      getResourceServerInfo: (_, resource) => ({ scope: "models", audience: resource, accessTokenFormat: "jwt" })
    }
  },
  issueRefreshToken: async () => true,
  ttl: { AccessToken: 600, IdToken: 600, RefreshToken: 86_400, Session: 3_600, Grant: 86_400, Interaction: 600 },
  cookies: { keys: ["a key of tests"] }
})

provider.use(async (ctx, next) => {
  const { searchParams } = new URL(ctx.href)
  const name = searchParams.get("name") ?? ""
  switch (ctx.path) {
    case "/-/remove":
      removed.add(name)
      break
    case "/-/restore":
      removed.delete(name)
      break
    case "/-/group":
      groups.set(name, [searchParams.get("group") ?? ""])
      break
    case "/-/away":
      isAway = true
      break
    case "/-/back":
      isAway = false
      break
    default:
      if (!isAway) return next()
      ctx.status = 503
      return
  }
  ctx.status = 204
})

provider.listen(port)
