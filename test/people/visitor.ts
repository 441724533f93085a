import { anyAddress } from "../console/browser.ts"

/** What a person types at their provider. */
export interface Login {
  readonly name: string
  readonly password: string
  /** The link that they choose first, where the provider knows several ways in. */
  readonly way?: string
}

/** A browser without scripts: cookies by host, redirects followed by hand, forms filled in. */
export class Visitor {
  readonly #jars = new Map<string, Map<string, string>>()
  readonly #address: string

  constructor(address = anyAddress()) {
    this.#address = address
  }

  /** The cookies of an address, by name. */
  cookies(url: string): Map<string, string> {
    const { host } = new URL(url)
    const jar = this.#jars.get(host) ?? new Map<string, string>()
    this.#jars.set(host, jar)
    return jar
  }

  /** Their header. */
  cookieHeader(url: string): string {
    return [...this.cookies(url)].map(([name, value]) => `${name}=${value}`).join("; ")
  }

  /** One request, with the cookies that a browser would send: none that is `Strict` where another site's page asks. */
  async send(url: string, init: RequestInit & { readonly isForeign?: boolean } = {}): Promise<Response> {
    const jar = this.cookies(url)
    const sent = [...jar].filter(([name]) => init.isForeign !== true || !name.endsWith("session"))
    const headers = new Headers(init.headers)
    if (!headers.has("x-forwarded-for")) headers.set("x-forwarded-for", this.#address)
    if (sent.length > 0) headers.set("cookie", sent.map(([name, value]) => `${name}=${value}`).join("; "))
    if (init.isForeign === true) headers.set("sec-fetch-site", "cross-site")
    const answer = await fetch(url, { ...init, headers, redirect: "manual" })
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = "", ...attributes] = cookie.split("; ")
      const at = pair.indexOf("=")
      const isGone = attributes.some((one) => /^max-age=0$/i.test(one) || /^expires=Thu, 01 Jan 1970/i.test(one))
      if (isGone) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return answer
  }

  /**
   * Begins a sign-in at the gateway and does at the provider what a person does there.
   *
   * @returns the address of the callback, not visited yet
   */
  async authorize(gateway: string, login: string | Login, path = "/sign-in"): Promise<string> {
    const url = gateway + path
    return this.passProvider(gateway, login, url, await this.send(url))
  }

  /** @param answer of an address that leads to the provider */
  async passProvider(gateway: string, login: string | Login, from: string, answer: Response): Promise<string> {
    const person = typeof login === "string" ? { name: login, password: "any" } : login
    let url = from
    for (let steps = 0; steps < 20; steps++) {
      const location = answer.headers.get("location")
      if (location !== null) {
        url = new URL(location, url).href
        if (url.startsWith(`${gateway}/`)) return url
        answer = await this.send(url)
        continue
      }
      const page = await answer.text()
      const link = person.way === undefined ? undefined : new RegExp(`href="([^"]*${person.way}[^"]*)"`).exec(page)?.[1]
      if (link !== undefined) {
        url = new URL(plain(link), url).href
        answer = await this.send(url)
        continue
      }
      const action = /<form[^>]*action="([^"]+)"/.exec(page)?.[1]
      if (action === undefined) throw new Error(`no form at ${url}: ${answer.status} ${page.slice(0, 500)}`)
      url = new URL(plain(action), url).href
      answer = await this.send(url, { method: "POST", body: filled(page, person) })
    }
    throw new Error("the provider leads in a circle")
  }

  /** Signs in, to the gateway's answer of the callback. */
  async signIn(gateway: string, login: string | Login, path?: string): Promise<Response> {
    return this.send(await this.authorize(gateway, login, path), { isForeign: true })
  }

  /** The page's own session. */
  async session(gateway: string) {
    return (await this.send(`${gateway}/console/session`)).json()
  }
}

/** An attribute's text. */
const plain = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code))).replaceAll("&amp;", "&")

/** A form as a person fills it in: hidden fields stay, whatever is no password is their name. */
const filled = (page: string, { name, password }: Login): URLSearchParams => {
  const body = new URLSearchParams()
  for (const [input] of page.matchAll(/<input[^>]*>/g)) {
    const attribute = (one: string) => new RegExp(`\\b${one}="([^"]*)"`).exec(input)?.[1]
    const field = attribute("name")
    if (field === undefined) continue
    const type = attribute("type")
    body.set(field, type === "hidden" ? plain(attribute("value") ?? "") : type === "password" ? password : name)
  }
  return body
}
