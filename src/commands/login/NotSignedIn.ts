import { Data } from "effect"

/** There is no sign-in to the gateway here, or it has ended. */
export class NotSignedIn extends Data.TaggedError("NotSignedIn")<{ readonly message: string }> {
  static readonly anywhere = new NotSignedIn({ message: "not signed in: run `gateway login ADDRESS`" })

  static at(address: string): NotSignedIn {
    return new NotSignedIn({ message: `not signed in to ${address}: run \`gateway login ${address}\`` })
  }

  static ended(address: string): NotSignedIn {
    return new NotSignedIn({ message: `the sign-in to ${address} has ended: run \`gateway login ${address}\`` })
  }
}
