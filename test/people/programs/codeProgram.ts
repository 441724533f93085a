import type { Visitor } from "../visitor.ts"

/** A program that signs its person in by a code, at one gateway. */
export const codeProgram = (gateway: string) => {
  const url = gateway.replace(/\/$/, "")
  const verifier = "verifier-".padEnd(43, "0")
  const challenge = new Bun.CryptoHasher("sha256").update(verifier).digest("base64url")

  const register = async (redirect_uris: ReadonlyArray<unknown>, more: object = {}) => {
    const answer = await fetch(`${url}/oauth/register`, {
      method: "POST",
      body: JSON.stringify({ client_name: "Agent", redirect_uris, ...more })
    })
    return { status: answer.status, body: await answer.json() }
  }

  /** The address that the program opens; `null` leaves a parameter out. */
  const address = (changes: Readonly<Record<string, string | null>>): string => {
    const usual = {
      response_type: "code",
      code_challenge: challenge,
      code_challenge_method: "S256",
      state: "state-1",
      scope: "tools",
      resource: `${url}/mcp`
    }
    const members = Object.entries({ ...usual, ...changes }).flatMap(([name, value]) =>
      value === null ? [] : [[name, value]]
    )
    return `${url}/oauth/authorize?${new URLSearchParams(members)}`
  }

  /** What a browser gets there: a page, or where it is led. */
  const open = async (at: string, headers: Record<string, string> = {}) => {
    const answer = await fetch(at, { redirect: "manual", headers })
    const location = answer.headers.get("location")
    return { status: answer.status, headers: answer.headers, location, page: await answer.text() }
  }

  /** The request that waits on the page of the decision. */
  const requestIn = (location: string | null): string => new URL(location ?? "", url).searchParams.get("request") ?? ""

  const say = async (visitor: Visitor, what: "find" | "decide", body: object) => {
    const answer = await visitor.send(`${url}/console/authorizations/${what}`, {
      method: "POST",
      headers: { "x-gateway-csrf": (await visitor.session(url)).csrf },
      body: JSON.stringify(body)
    })
    return { status: answer.status, body: await answer.json() }
  }

  /** The answer at the program's address, once a person has let it in. */
  const approved = async (visitor: Visitor, at: string, account = "default"): Promise<URLSearchParams> => {
    const request = requestIn((await open(at)).location)
    const { body } = await say(visitor, "decide", { request, approve: true, account })
    return new URL(body.location).searchParams
  }

  const token = async (form: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${url}/oauth/token`, { method: "POST", body: new URLSearchParams(form) })
    return { status: answer.status, body: await answer.json() }
  }

  const exchange = (form: Readonly<Record<string, string>>) =>
    token({ grant_type: "authorization_code", code_verifier: verifier, resource: `${url}/mcp`, ...form })

  /** The tools that a token lists at `/mcp`, or the refusal. */
  const mcp = async (access: string, path = "/mcp") => {
    const answer = await fetch(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${access}` },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })
    })
    return { status: answer.status, headers: answer.headers, body: await answer.json() }
  }

  return { url, verifier, challenge, register, address, open, requestIn, say, approved, token, exchange, mcp } as const
}
