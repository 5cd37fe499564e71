/** The page's own files, put together by scripts/support/timeline-page.mjs while building. */
declare module 'virtual:timeline-page' {
  export const markup: string;
  export const script: string;
  export const style: string;
}
