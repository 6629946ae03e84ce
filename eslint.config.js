// Lint rules of the house: who may import what (DESIGN: "The house"), the size budget, and type-aware correctness.
import js from '@eslint/js';
import tseslint from 'typescript-eslint';

/** Every room of src/ and the rooms it may import from. A room may always import from itself. */
const ROOMS = {
  base: [],
  model: ['base'],
  io: ['base'],
  keeper: ['io', 'model', 'base'],
  screen: ['model', 'base'],
  wire: ['model', 'io', 'base'],
  translators: ['model', 'base'],
  acp: ['io', 'model', 'base'],
  controllers: ['translators', 'acp', 'screen', 'io', 'keeper', 'providers', 'model', 'base'],
  daemon: [
    'controllers',
    'wire',
    'translators',
    'acp',
    'screen',
    'io',
    'keeper',
    'providers',
    'config',
    'model',
    'base',
  ],
  tui: ['wire', 'model', 'screen', 'config', 'base'],
  demo: ['io', 'base'],
  // files directly in src/
  providers: ['io', 'model', 'base'],
  config: ['io', 'model', 'base'],
};

/** Libraries with one home each: the rooms that may import them. */
const HOMES = {
  'node-pty': ['io'],
  'node:child_process': ['io'],
  '@xterm/headless': ['screen'],
  ink: ['tui'],
  react: ['tui'],
  'better-sqlite3': ['daemon'],
  commander: ['cli'],
  conf: ['config'],
  'smol-toml': ['providers', 'config'],
};

const ALL_ROOMS = [...Object.keys(ROOMS), 'cli'];

function importRules(room) {
  const allowed = new Set([room, ...ROOMS[room]]);
  const patterns = ALL_ROOMS.filter((other) => !allowed.has(other)).map((other) => ({
    regex: `^(\\./|(\\.\\./)+)${other}(/|\\.js$)`,
    message: `src/${room} must not import src/${other} (eslint.config.js, ROOMS).`,
  }));
  const paths = Object.entries(HOMES)
    .filter(([, homes]) => !homes.includes(room))
    .map(([name, homes]) => ({ name, message: `${name} lives in src/${homes.join(' and src/')} only.` }));
  return { 'no-restricted-imports': ['error', { patterns, paths }] };
}

const roomConfigs = Object.keys(ROOMS).map((room) => ({
  files: [`src/${room}/**/*.{ts,tsx}`, `src/${room}.ts`],
  rules: importRules(room),
}));

export default tseslint.config(
  { ignores: ['dist', 'node_modules', 'coverage', 'test/recordings', 'test/golden'] },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [...tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-control-regex': 'off',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'max-lines': ['error', { max: 400, skipComments: false, skipBlankLines: false }],
      'max-lines-per-function': ['error', { max: 60, skipComments: true, skipBlankLines: true }],
    },
  },
  ...roomConfigs,
  {
    files: ['test/**/*.{ts,tsx}', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
    },
  },
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: {
      globals: {
        process: 'readonly',
        console: 'readonly',
        URL: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        setInterval: 'readonly',
        clearInterval: 'readonly',
        clearTimeout: 'readonly',
      },
    },
  },
);
