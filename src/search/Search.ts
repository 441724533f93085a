import { Context, Layer } from "effect"
import type { GatewayFile } from "../config/GatewayFile.ts"
import { missingMember } from "../contract/testDouble.ts"
import { searchProvider } from "./configured.ts"
import type { SearchProvider } from "./SearchProvider.ts"

/** The web search for models whose upstreams have none. */
export class Search extends Context.Tag("gateway/search/Search")<
  Search,
  {
    /** The provider under these settings; undefined where there is none. Called at the start and at each reload. */
    readonly providerFor: (settings: GatewayFile["search"]) => SearchProvider | undefined
  }
>() {
  /** The provider that `gateway.yaml` names. */
  static readonly Default = Layer.succeed(Search, { providerFor: searchProvider })

  /** This provider, whatever `gateway.yaml` says. */
  static readonly layer = (provider: SearchProvider) => Layer.succeed(Search, { providerFor: () => provider })

  /** For tests: a member that is not given dies when it is used. */
  static readonly Test = (given: Partial<SearchProvider>) =>
    Search.layer({ name: "test", search: missingMember(`${Search.key}.search`), ...given })
}
