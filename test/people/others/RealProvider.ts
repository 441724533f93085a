import type { Login } from "../visitor.ts"

/** A person of a provider. */
export interface Person extends Login {
  /** Their name in the gateway. */
  readonly shown: string
}

/** A third-party provider, in a process of its own, with a gateway as its client. */
export interface RealProvider {
  readonly issuer: string
  /** Its entry in `sign_in.oidc`, and the rules in `sign_in.roles` for its people, in YAML. */
  readonly entry: string
  readonly roles: ReadonlyArray<string>
  readonly people: {
    /** By a group, or by a verified e-mail address where it has no groups. */
    readonly operator: Person
    /** Of the account `team-a`. */
    readonly member: Person
    /** Without a role. */
    readonly stranger: Person
  }
  /** Each use of a refresh token brings another one. */
  readonly rotates: boolean
  /** It has a page for signing out. */
  readonly signsOut: boolean
  /** Ends a person's sign-in: their refresh token counts no more. */
  readonly end: (person: { readonly name: string; readonly subject: string; readonly idToken: string }) => Promise<void>
  /** The person may sign in again. */
  readonly restore: (name: string) => Promise<void>
  readonly hang: () => void
  readonly goOn: () => void
  readonly stop: () => Promise<void>
}
