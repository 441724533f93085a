import { createVerify } from "node:crypto"
import * as sigV4 from "./sigV4.ts"
import type { AwsKeys } from "./sigV4.ts"

/** A call of the gateway to the model, as the fake saw it. */
export interface Seen {
  readonly by: string
  readonly status: number
}

const page = (body: unknown, init?: ResponseInit) => Response.json(body, init)

/**
 * The token services of three clouds and a chat model that accepts what they gave out, on one port: STS, IMDSv2 and
 * container credentials, Google's token endpoint, STS and metadata server, Entra's token endpoint and managed identity.
 */
export const startTokenServices = (options: { readonly publicKey: string }) => {
  const state = {
    /** Requests for credentials, by what was asked. */
    asked: [] as Array<string>,
    seen: [] as Array<Seen>,
    isDown: false,
    /** How far this cloud's clock is ahead, in ms. */
    aheadMs: 0,
    lifeSeconds: 3_600
  }
  const keys = new Map<string, AwsKeys>([
    ["AKIAFIXED0000000001", { accessKeyId: "AKIAFIXED0000000001", secretAccessKey: "fixed-secret-0123456789" }]
  ])
  const tokens = new Set<string>()
  let given = 0
  const now = () => Date.now() + state.aheadMs
  const newKeys = (kind: string): AwsKeys => {
    const made = {
      accessKeyId: `ASIA${kind.toUpperCase()}${keys.size}`,
      secretAccessKey: `secret-of-${kind}-${keys.size}`,
      sessionToken: `session-of-${kind}-${keys.size}`
    }
    keys.set(made.accessKeyId, made)
    return made
  }
  const end = () => new Date(now() + state.lifeSeconds * 1_000).toISOString()
  const awsJson = (kind: string) => {
    const { accessKeyId, secretAccessKey, sessionToken } = newKeys(kind)
    return page({
      Code: "Success",
      AccessKeyId: accessKeyId,
      SecretAccessKey: secretAccessKey,
      Token: sessionToken,
      Expiration: end()
    })
  }
  const bearer = (kind: string, more = {}) => {
    const token = `token-of-${kind}-${++given}`
    tokens.add(token)
    return page({ access_token: token, token_type: "Bearer", expires_in: state.lifeSeconds, ...more })
  }
  const sts = (action: string) => {
    const { accessKeyId, secretAccessKey, sessionToken } = newKeys(action)
    return new Response(
      `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><AssumedRoleUser>` +
        `<Arn>arn:aws:sts::123456789012:assumed-role/gateway/x</Arn><AssumedRoleId>A:x</AssumedRoleId></AssumedRoleUser>` +
        `<Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>` +
        `<SessionToken>${sessionToken}</SessionToken><Expiration>${end()}</Expiration></Credentials>` +
        `</${action}Result></${action}Response>`,
      { headers: { "content-type": "text/xml" } }
    )
  }
  const credentials = async (request: Request, { pathname, searchParams }: URL): Promise<Response | undefined> => {
    const text = request.method === "POST" ? await request.text() : ""
    const form = new URLSearchParams(text)
    const has = (name: string, value: string) => request.headers.get(name) === value
    switch (pathname) {
      case "/sts/": {
        const action = form.get("Action") ?? ""
        if (action === "AssumeRoleWithWebIdentity" && form.get("WebIdentityToken") !== "web-identity") return undefined
        if (action === "AssumeRole" && !(await isSigned(request, text, "sts"))) return undefined
        return sts(action)
      }
      case "/latest/api/token":
        return new Response("imds-token", { headers: { "x-aws-ec2-metadata-token-ttl-seconds": "21600" } })
      case "/latest/meta-data/iam/security-credentials/":
        return has("x-aws-ec2-metadata-token", "imds-token") ? new Response("role") : undefined
      case "/latest/meta-data/iam/security-credentials/role":
        return has("x-aws-ec2-metadata-token", "imds-token") ? awsJson("instance") : undefined
      case "/sso/federation/credentials": {
        const isOurs = searchParams.get("role_name") === "gateway" && searchParams.get("account_id") === "123456789012"
        if (!isOurs || !has("x-amz-sso_bearer_token", "sso-token")) return undefined
        return page({ roleCredentials: { ...newKeys("sso"), expiration: Date.parse(end()) } })
      }
      case "/container":
        return has("authorization", "container-token") ? awsJson("container") : undefined
      case "/google/token": {
        if (form.get("grant_type") === "refresh_token") {
          return form.get("refresh_token") === "refresh" ? bearer("user") : undefined
        }
        const problem = problemOf(form.get("assertion") ?? "")
        return problem === undefined
          ? bearer("account")
          : page({ error: "invalid_grant", error_description: problem }, { status: 400, headers: dated() })
      }
      case "/google/sts":
        return form.get("subject_token") === "subject" ? bearer("workload") : undefined
      case "/computeMetadata/v1/instance/service-accounts/default/token":
        return has("metadata-flavor", "Google") ? bearer("machine") : undefined
      case "/tenant/oauth2/v2.0/token": {
        const isScoped = form.get("scope") === "https://cognitiveservices.azure.com/.default"
        if (!isScoped || form.get("client_id") !== "client") return undefined
        if (form.get("client_secret") === "client-secret-0123456789") return bearer("client")
        return form.get("client_assertion") === "federated" ? bearer("federated") : undefined
      }
      case "/metadata/identity/oauth2/token":
        return has("metadata", "true") && searchParams.get("resource") === "https://cognitiveservices.azure.com"
          ? bearer("managed", { expires_in: String(state.lifeSeconds) })
          : undefined
    }
    return undefined
  }
  /** What is wrong with a service account's JWT; undefined if nothing is. */
  const problemOf = (assertion: string): string | undefined => {
    const [header = "", claims = "", signature = ""] = assertion.split(".")
    const isOurs = createVerify("RSA-SHA256")
      .update(`${header}.${claims}`)
      .verify(options.publicKey, Buffer.from(signature, "base64url"))
    if (!isOurs) return "Invalid JWT Signature."
    const { exp, iat, scope } = JSON.parse(Buffer.from(claims, "base64url").toString())
    if (scope !== "https://www.googleapis.com/auth/cloud-platform") return "invalid scope"
    const seconds = now() / 1_000
    return iat > seconds + 60 || exp < seconds || exp > seconds + 3_660
      ? "Invalid JWT: Token must be a short-lived token (60 minutes) and in a reasonable timeframe."
      : undefined
  }
  const dated = () => ({ date: new Date(now()).toUTCString() })
  const isSigned = async (request: Request, body: string, service: string): Promise<boolean> => {
    const { headers, method, url } = request
    const known = keys.get(sigV4.signerIn(headers) ?? "")
    return known !== undefined && sigV4.isSigned({ method, url, headers, body }, known, service, now())
  }
  const answered = page.bind(undefined, {
    id: "c1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hi" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
  })
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const url = new URL(request.url)
      if (url.pathname === "/v1/chat/completions") {
        const body = await request.text()
        const by = request.headers.get("authorization") ?? ""
        const isGood = by.startsWith("Bearer ")
          ? tokens.has(by.slice(7)) || by === "Bearer bedrock-key-0123456789"
          : await isSigned(request, body, "bedrock")
        state.seen.push({ by, status: isGood ? 200 : 403 })
        if (isGood) return answered()
        return page(
          { message: "The security token included in the request is expired" },
          { status: 403, headers: { "x-amzn-errortype": "ExpiredTokenException", ...dated() } }
        )
      }
      state.asked.push(url.pathname)
      if (state.isDown) return page({ error: "temporarily_unavailable" }, { status: 503 })
      const answer = await credentials(request, url)
      return answer ?? page({ error: "invalid_client" }, { status: 401 })
    }
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    state,
    /** Everything that was given out is refused from now on. */
    revoke: () => {
      tokens.clear()
      for (const id of keys.keys()) if (id.startsWith("ASIA")) keys.delete(id)
    },
    stop: () => server.stop(true)
  }
}
