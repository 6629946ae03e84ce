// Generated from the Unicode 16.0.0 data files (GraphemeBreakProperty, EastAsianWidth, emoji-data): which code points are
// not plain narrow text. Read by width.ts. Each class is a list of runs "gap.extra" in base 36: gap from the end of the run
// before, then how many code points beyond the first. Hangul syllables (U+AC00-D7A3) are computed, not listed.
export const WIDTH_CLASSES = {
  wide:
    '6y1.1 o0.5 1kh.p 2.2g d.5x r.1l 8.b 2 3.2d 5.2s 6.16 2.2l 2.2d a.1b 2.13 9.1y 2 2.mia 4.1i gmy.e7 ' +
    'lt.9 n.y 2.i 2.3 46.2n 3k.6 m4a.3 t.4qf 9.yd 16.9 6w8.3 2.6 2.1 2.82 g u.2 3 f.3 9.az 6bp.2e a.m 616 ' +
    'g.9 2.j 2.1 a 5.8 2pk.1ekd 3.1ekd',
  extend:
    'lc.33 7o.6 7c.18 2 2.1 2.1 2 21.a 2 1b.k h 2u.6 3.5 3.1 2.3 10 v.q 2k.a 1n.8 a p.3 2.8 2.2 2.4 18.2 ' +
    '1o.8 17.n 2.w 1j.2 2.h 2.6 b.1 u.2 1l 2.6 3.1 3.2 a b.1 r 3.2 1l 2.4 5.1 3.2 4 v.1 4 c.2 1l 2.7 2.2 ' +
    '2.2 l.1 n.5 2.2 1l 2.6 3.1 3.2 8.2 b.1 v 1o.4 4.2 2.3 a 15.4 1k 2.6 2.2 2.3 8.1 c.1 u.2 1l 2.6 2.2 ' +
    '2.3 8.1 c.1 g d.3 1k.1 2.6 2.2 2.3 a b.1 u.2 1z 5.5 2 2.7 j.1 1q 2.7 d.7 2r 2.9 c.6 22.1 s 2 2 5.1 ' +
    '1e.j 2.1 6.a 2.z a 2v.a 2.5 o.3 5.2 h.3 e 2.2 7 g 5f e5.2 qb.3 t.2 u.1 v.1 1t.v a 1a.4 3a.1 z 3b.b ' +
    '5.b 64.4 1m.9 2 2 3.n 3 1d.u 1e.4 1c.g 13.8 d.2 v.c 1l.d 1d.j 49.2 2.k 5 7 3.2 5j.1r ek.1 2.1 r.4 ' +
    '1e.f 2p.w 2db.2 3y 2p.v ff.5 2y.1 n9x.3 2.9 x.1 29.1 7l 4 5 o.4 5 2c.1 1f.h r.h e 13.7 q.c 19.3 1c.d ' +
    '11 1w.d d 9.1 1b 1g 2.2 3.1 6.1 2 16.4 6.1 6l.7 2.1 fn5 ki.e i.f 5s 4f.1 29.8 ed 6b 46.4 1af.2 2.1 ' +
    '6.3 15.2 5 4m.1 fy.3 1u.4 8u.1 28.3 1z.a 1e.3 3f.2 1i.e 16 3.1 b.3 1a.a 8 1q.2 11.d h.1 19 d.2 1d.d ' +
    '9.3 2.1 2l.b 7 3 4e.b m.3 1k.1 2.6 3.1 3.2 a b.1 3.6 4.4 1w.8 2 3 2.3 2.4 2 f.1 2b.h o 2a.j 6k.6 3.8 ' +
    's.1 2b.g 2z.c 2u.2 3.9 75.e 6u.5 2.1 3.3 2 2.1 3y.6 3.6 4 t.9 15.6 2.3 9 a.a 1b.f ba.7 2.7 2b.l 2.d ' +
    '3f.5 4 2.1 2.6 2 1v.4 2.1 2.4 9o.3 a.1 2 1d.6 4.4 o 44m 7.e 8uh.h 1xd.4 1o.6 t5 2.1i 8.3 2a c.1 ' +
    'f58.1 2.3 3ml.19 3.m f3.4 4.l 3.6 v.3 45.2 1j0.1i 5.1d 9 f n.4 2.e 11t.6 2.g 3.6 2.1 2.4 2t 4h.6 ag ' +
    '1q.3 e5.3 73.1 kh.6 32.6 gzau.35r',
  zwj: '6bx',
  regional: '2qcm.p',
  hangulL: '3cw.2n u0x.s',
  hangulV: '3fl.1y 1349.m tjx 4.3',
  hangulT: '3hk.2f 132k.1c',
  pictographText:
    '4p 5 68e d 61 n 2j.5 g.1 am 4n u.2 2.1 6.2 5k 6g.1 b a 1n.1 4.4 a 3 7 5 3 2.1 3 4 4.1 9.2 6 2 t.1 3 ' +
    '2.1 2 j 3 k 2.3 2 2.1 4 7 9.1 n 7 2 2 m 7.1 3 3.2 9 6.1 3.1 2 3 2 2 7 4 i.1 g 3 s.1 1p b7.1 cw.2 ' +
    '2hrd.1 d.1 bm 3.8 a 1z p.1 2.2 3.1 18.3 6.b k 2 2 20 2 58 24.1 11.1 3.6 e 3.3 3 l 3 9.1 a 6.2 d.2 ' +
    '9.2 3 2 5 7 4 7 5t 2.2 h.5 4 7 3',
  pictographWide:
    '6xm.1 5q.3 4 3 ei.1 m.1 r.7 h.b 18 k e 9.1 i.1 6.1 9 6 m 8.1 2 5 3 8 5.1 t 10 2 5.2 2 1q.2 p f nw.1 ' +
    '1g 5 yj d gq 2 2fzf 5n 5b 3.9 2v.1 o l 3.8 m.1 f.5 4b.w d.8 2.1x 2.l d.16 5.4 d.g 4 4.2 6.1q 2 2.56 ' +
    '3.1q e.3 2.n j r.1 e 2f.2c 1d.1x 7 4.2 3.2 5.3 c.1 8.8 6c.b 5 7w.1a 2.9 2.54 35.c 4.9 6.1j 8.e 3.a ' +
    '7.8',
  modifier: '2qrf.4',
  digit: 'z 7 6.9',
  pictographPlain:
    '70o hp 2.6 2.1 2 4.1 2.3 2.1 2 3.1 2.2 2.2 e.4 2 2.4 d.a 3.1 2 3 2.h 2.1 3.5 b.1 7 2 3.2 3.4 2.1 3.3 ' +
    '3.a 3.4 3.1 2.4 3 2 3.j 3.4 7 5.1 2.3 2.1 a 2.1 2c.2 2i6x.3 2.5l 2.1b e.2 w 1p.3 1q.1k u.c 19.3 a.6 ' +
    '3.d 7.49 z.1 35.1 3 4.1 2c.1 4 7c 20.2 7 p.6 3.1 9.b 2.1 5.1 2.3 3.c 3.1 2.7 3.8 2.4 4.b 4.7 4.1 2 ' +
    '2.3 2.5 2.2 2.5 5p.4 9.1 4.3 b.2 2 3.2 2.1 b.2 39.b 2e.a d.3 2.e d.3 1l.7 b.5 15.7 v.29 75.33 e.2 ' +
    'b.4 1l.6 g.1 c.5 a.6 75.sd',
  variation16: '1e6n',
} as const;
