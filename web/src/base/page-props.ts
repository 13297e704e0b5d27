/** What a page gets of its URL. */
export interface PageProps {
  /** The path behind the page's name: `['run_1']` of `/runs/run_1`. */
  rest: readonly string[];
}
