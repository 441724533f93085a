import type { OwnSession } from "../src/people/signIn/SessionRecord.ts"
import { makeClient } from "./client.ts"
import type { Client } from "./client.ts"
import { words } from "./words/words.ts"

/** The signed-in user. */
export type Session = Extract<OwnSession, { readonly signed_in: true }>

/** A provider that people sign in with. */
export type SignInLink = Extract<OwnSession, { readonly signed_in: false }>["sign_in"][number]

const ofAnswer = (answer: OwnSession): Session | undefined => (answer.signed_in ? answer : undefined)

/** Signs in and out, and keeps the CSRF token. */
export const makeSessions = () => {
  const held: { session: Session | undefined; links: ReadonlyArray<SignInLink>; ended: () => void } = {
    session: undefined,
    links: [],
    ended: () => {}
  }
  const client: Client = makeClient({
    csrf: () => held.session?.csrf ?? "",
    // Expired or revoked while the page was open.
    refused: (status) => {
      if (status !== 401 || held.session === undefined) return
      held.session = undefined
      held.ended()
    }
  })

  const show = async () => {
    const answer = await client.console((console) => console.session.show({ urlParams: {} }))
    if (!answer.signed_in) held.links = answer.sign_in
    return ofAnswer(answer)
  }

  /** The current session; undefined if signed out. */
  const find = async (): Promise<Session | undefined> => (held.session = await show())
  /** Checks whether the session still exists, after a sign that it may not. */
  const check = async (): Promise<void> => {
    if (held.session === undefined) return
    const isOver = await show().then(
      (session) => session === undefined,
      () => false
    )
    if (!isOver || held.session === undefined) return
    held.session = undefined
    held.ended()
  }
  const signIn = async (proof: { readonly key: string } | { readonly link: string }): Promise<Session> => {
    const session = ofAnswer(await client.console((console) => console.session.open({ payload: proof })))
    if (session === undefined) throw new Error(words.failed.unknown)
    return (held.session = session)
  }
  /** Signs out. The address where the provider's own sign-in ends, if it has one. */
  const signOut = async (): Promise<string | undefined> => {
    const answer = await client.console((console) => console.session.close())
    held.session = undefined
    if (answer.signed_in) return undefined
    held.links = answer.sign_in
    return answer.provider_sign_out
  }
  const onEnded = (ended: () => void): void => {
    held.ended = ended
  }
  return { client, find, check, signIn, signOut, onEnded, links: () => held.links }
}
