/** The API of an agent's model, as the agent finds it from inside its sandbox; its key opens nothing else. */
export interface ModelApi {
  /** As opencode calls it. */
  readonly provider: string;
  /** With the version at its end where the API's requests go below one; no slash after it. */
  readonly baseUrl: string;
  readonly key: string;
}
