/** A request for tokens that the sign-in got. */
export type Form = Readonly<Record<string, string>>

/** Members that the fake tells differently. */
export interface Change {
  /** Members of the metadata of the server and of its sign-in. */
  readonly resource?: object
  readonly metadata?: object
  /** Answers of the sign-in's authorization. */
  readonly answer?: Readonly<Record<string, string | undefined>>
}

const sha256 = (text: string): string => new Bun.CryptoHasher("sha256").update(text).digest("base64url")

const random = (name: string): string => `${name}-${crypto.randomUUID()}`

/**
 * An MCP server and its sign-in, in this process. The sign-in is as strict as real ones are: registered clients alone, PKCE,
 * the resource in both requests, a code and a refresh token once, exact redirects.
 */
export const fakeSignIn = () => {
  const [issuer, server] = [{ url: "" }, { url: "" }]
  const clients = new Map<string, { readonly secret: string; readonly redirects: ReadonlyArray<string> }>()
  const codes = new Map<string, { readonly query: URLSearchParams; readonly scope: string }>()
  const access = new Map<string, string>()
  const refreshes = new Map<string, string>()
  const seen: Array<Form> = []
  const asked: Array<URLSearchParams> = []
  /** Each request to the server: its headers. */
  const calls: Array<Headers> = []
  let change: Change = {}
  let expiresIn: number | undefined = 3_600
  let isAway = false

  const refuse = (error: string, status = 400) => Response.json({ error }, { status })

  const tokens = (scope: string) => {
    const given = { access: random("access"), refresh: random("refresh") }
    access.set(given.access, scope)
    refreshes.set(given.refresh, scope)
    return Response.json({
      access_token: given.access,
      refresh_token: given.refresh,
      token_type: "Bearer",
      ...(expiresIn !== undefined && { expires_in: expiresIn }),
      scope
    })
  }

  const token = async (request: Request) => {
    const form = Object.fromEntries(new URLSearchParams(await request.text()))
    seen.push(form)
    if (isAway) return new Response("busy", { status: 503 })
    const [id = "", secret = ""] = atob((request.headers.get("authorization") ?? "").replace("Basic ", ""))
      .split(":")
      .map(decodeURIComponent)
    const client = clients.get(id)
    if (client === undefined || client.secret !== secret) return refuse("invalid_client", 401)
    if (form["resource"] !== server.url) return refuse("invalid_target")
    if (form["grant_type"] === "refresh_token") {
      const scope = refreshes.get(form["refresh_token"] ?? "")
      if (scope === undefined) return refuse("invalid_grant")
      refreshes.delete(form["refresh_token"] ?? "")
      // Another process must not ask with it meanwhile.
      await Bun.sleep(150)
      return tokens(scope)
    }
    const code = codes.get(form["code"] ?? "")
    codes.delete(form["code"] ?? "")
    const isRight =
      form["grant_type"] === "authorization_code" &&
      code !== undefined &&
      code.query.get("client_id") === id &&
      code.query.get("redirect_uri") === form["redirect_uri"] &&
      code.query.get("code_challenge") === sha256(form["code_verifier"] ?? "")
    return isRight ? tokens(code.scope) : refuse("invalid_grant")
  }

  const authorize = (url: URL) => {
    const query = url.searchParams
    asked.push(query)
    const client = clients.get(query.get("client_id") ?? "")
    const redirect = query.get("redirect_uri") ?? ""
    const isRight =
      client?.redirects.includes(redirect) === true &&
      query.get("response_type") === "code" &&
      query.get("code_challenge_method") === "S256" &&
      /^[\w-]{43}$/.test(query.get("code_challenge") ?? "") &&
      query.get("resource") === server.url
    if (!isRight) return new Response("refused", { status: 400 })
    const code = random("code")
    codes.set(code, { query, scope: query.get("scope") ?? "" })
    const back = new URL(redirect)
    const answer = { code, state: query.get("state") ?? "", iss: issuer.url, ...change.answer }
    for (const [name, value] of Object.entries(answer)) if (value !== undefined) back.searchParams.set(name, value)
    return Response.redirect(back.href, 302)
  }

  const signIn = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch: async (request) => {
      const url = new URL(request.url)
      switch (url.pathname) {
        case "/.well-known/oauth-authorization-server":
          return Response.json({
            issuer: issuer.url,
            authorization_endpoint: `${issuer.url}/authorize`,
            token_endpoint: `${issuer.url}/token`,
            registration_endpoint: `${issuer.url}/register`,
            response_types_supported: ["code"],
            code_challenge_methods_supported: ["S256"],
            token_endpoint_auth_methods_supported: ["client_secret_basic"],
            authorization_response_iss_parameter_supported: true,
            ...change.metadata
          })
        case "/register": {
          const { redirect_uris } = await request.json()
          const [client_id, client_secret] = [random("client"), `${random("secret")}+/=`]
          clients.set(client_id, { secret: client_secret, redirects: redirect_uris })
          return Response.json(
            { client_id, client_secret, redirect_uris, token_endpoint_auth_method: "client_secret_basic" },
            { status: 201 }
          )
        }
        case "/authorize":
          return authorize(url)
        case "/token":
          return token(request)
        case "/large":
          return new Response(JSON.stringify({ a: "a".repeat(300_000) }))
        case "/moved":
          return Response.redirect(`${issuer.url}/.well-known/oauth-authorization-server`, 302)
        default:
          return new Response(null, { status: 404 })
      }
    }
  })
  issuer.url = `http://127.0.0.1:${signIn.port}`

  const served = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    development: false,
    fetch: async (request) => {
      const { origin, pathname } = new URL(request.url)
      if (pathname === "/.well-known/oauth-protected-resource/mcp") {
        return Response.json({
          resource: server.url,
          authorization_servers: [issuer.url],
          scopes_supported: ["read"],
          ...change.resource
        })
      }
      calls.push(request.headers)
      const scope = access.get((request.headers.get("authorization") ?? "").replace("Bearer ", ""))
      const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`
      if (scope === undefined) {
        return new Response(null, { status: 401, headers: { "www-authenticate": `Bearer ${metadata}` } })
      }
      const rpc = await request.json()
      if (rpc.params?.name === "write" && !scope.split(" ").includes("write")) {
        const told = `Bearer error="insufficient_scope", scope="write", ${metadata}`
        return new Response(null, { status: 403, headers: { "www-authenticate": told } })
      }
      const result =
        rpc.method === "tools/list"
          ? { tools: ["read", "write"].map((name) => ({ name, inputSchema: { type: "object" } })) }
          : { content: [{ type: "text", text: `did ${rpc.params.name} with ${scope}` }] }
      return Response.json({ jsonrpc: "2.0", id: rpc.id, result: { resultType: "complete", ...result } })
    }
  })
  server.url = `http://127.0.0.1:${served.port}/mcp`

  return {
    url: server.url,
    issuer: issuer.url,
    /** The forms that the token endpoint got, and the queries of the authorization. */
    seen,
    asked,
    calls,
    clients,
    changed: (next: Change) => {
      change = next
    },
    lasts: (seconds: number | undefined) => {
      expiresIn = seconds
    },
    away: (now: boolean) => {
      isAway = now
    },
    /** All access tokens end, and with `all` everything. */
    forget: (all = false) => {
      access.clear()
      if (all) refreshes.clear()
    },
    stop: async () => {
      await signIn.stop(true)
      await served.stop(true)
    }
  } as const
}
