import { defineConfig } from 'vitest/config';
import { timelinePage } from './scripts/support/timeline-page.mjs';

export default defineConfig({
  plugins: [timelinePage()],
  test: {
    include: ['__test__/**/*.test.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 30_000,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
