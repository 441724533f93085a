import { jsonBody, makeClient } from "./client.ts"
import type { Client } from "./client.ts"

/** The signed-in user. */
export interface Session {
  readonly kind: "operator" | "account"
  readonly account_id?: string
  readonly key_id?: string
  readonly csrf: string
  readonly expires_at: string
  /** The prefix of links to the gateway's own files. */
  readonly public_url: string
}

const path = "/console/session"

/** Signs in and out, and keeps the CSRF token. */
export const makeSessions = () => {
  const held: { session: Session | undefined; ended: () => void } = { session: undefined, ended: () => {} }
  const client: Client = makeClient({
    csrf: () => held.session?.csrf ?? "",
    // Expired or revoked while the page was open.
    refused: (status) => {
      if (status !== 401 || held.session === undefined) return
      held.session = undefined
      held.ended()
    }
  })

  /** The current session; undefined if signed out. */
  const find = async (): Promise<Session | undefined> => {
    const answer = await client.json<Session | { readonly signed_in: false }>(path)
    held.session = "csrf" in answer ? answer : undefined
    return held.session
  }
  /** Checks whether the session still exists, after a sign that it may not. */
  const check = async (): Promise<void> => {
    if (held.session === undefined) return
    const answer = await client.json<Session | { readonly signed_in: false }>(path).catch(() => undefined)
    if (answer === undefined || "csrf" in answer || held.session === undefined) return
    held.session = undefined
    held.ended()
  }
  const signIn = async (proof: { readonly key: string } | { readonly link: string }): Promise<Session> => {
    held.session = await client.json<Session>(path, jsonBody(proof))
    return held.session
  }
  const signOut = async (): Promise<void> => {
    await client.send(path, { method: "DELETE" })
    held.session = undefined
  }
  const onEnded = (ended: () => void): void => {
    held.ended = ended
  }
  return { client, find, check, signIn, signOut, onEnded }
}
