//! Published answers for every row.

use Message::{Bytes, Pattern, Repeat, Text};
use hashmill_digest::{ALGORITHMS, find, hash};

/// A message in a short form.
#[derive(Clone, Copy)]
enum Message {
    Text(&'static str),
    Bytes(&'static [u8]),
    /// The text, repeated.
    Repeat(&'static str, usize),
    /// This many bytes: 0 to 250, repeated (BLAKE3's and KangarooTwelve's test vectors).
    Pattern(usize),
}

impl Message {
    fn bytes(self) -> Vec<u8> {
        match self {
            Text(text) => text.into(),
            Bytes(bytes) => bytes.into(),
            Repeat(text, times) => text.repeat(times).into(),
            Pattern(length) => (0..=250).cycle().take(length).collect(),
        }
    }
}

const MILLION: Message = Repeat("a", 1_000_000);
/// Two blocks for hashes with blocks of 64 bytes.
const SHORT: Message = Text("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq");
/// Two blocks for hashes with blocks of 128 bytes.
const LONG: Message = Text(
    "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
);
/// RFC 6986, 10.1: the bytes in the order of the message.
const M1: Message = Text("012345678901234567890123456789012345678901234567890123456789012");
/// RFC 6986, 10.2: a line of "The Tale of Igor's Campaign" in Windows-1251.
const M2: Message = Bytes(
    b"\xd1\xe5 \xe2\xe5\xf2\xf0\xe8, \xd1\xf2\xf0\xe8\xe1\xee\xe6\xe8 \xe2\xed\xf3\xf6\xe8, \xe2\xe5\xfe\xf2\xfa \xf1 \xec\xee\xf0\xff \xf1\xf2\xf0\xe5\xeb\xe0\xec\xe8 \xed\xe0 \xf5\xf0\xe0\xe1\xf0\xfb\xff \xef\xeb\xfa\xea\xfb \xc8\xe3\xee\xf0\xe5\xe2\xfb",
);

type Vectors = &'static [(&'static str, &'static [(Message, &'static str)])];

#[rustfmt::skip]
const VECTORS: Vectors = &[
    // BEP 3, of a file without a name: SHA-1 of the bencoded text, by Python's hashlib.
    ("btih", &[
        (Text(""), "4146537252794ac1bba13ac3b44e6d38f7f2add1"),
        (Text("abc"), "3e327a9b91782471e5d4d994e467f26a56fbaf6e"),
        (MILLION, "815eea8a84182eb150ade2a95b58661f782c1b66"),
    ]),
    // RFC 1321, A.5.
    ("md5", &[
        (Text(""), "d41d8cd98f00b204e9800998ecf8427e"),
        (Text("abc"), "900150983cd24fb0d6963f7d28e17f72"),
        (Text("abcdefghijklmnopqrstuvwxyz"), "c3fcd3d76192e4007dfb496cca67e13b"),
        (MILLION, "7707d6ae4e027c70eea2a935c2296f21"),
    ]),
    // FIPS 180-4 examples (NIST CSRC).
    ("sha1", &[
        (Text(""), "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (Text("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (SHORT, "84983e441c3bd26ebaae4aa1f95129e5e54670f1"),
        (MILLION, "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    ]),
    // FIPS 180-4 examples (NIST CSRC).
    ("sha224", &[
        (Text(""), "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"),
        (Text("abc"), "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
        (SHORT, "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525"),
        (MILLION, "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67"),
    ]),
    // FIPS 180-4 examples (NIST CSRC).
    ("sha256", &[
        (Text(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (Text("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (SHORT, "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        (MILLION, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ]),
    // FIPS 180-4 examples (NIST CSRC).
    ("sha384", &[
        (Text(""), "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"),
        (Text("abc"), "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
        (LONG, "09330c33f71147e83d192fc782cd1b4753111b173b3b05d22fa08086e3b0f712fcc7c71a557e2db966c3e9fa91746039"),
        (MILLION, "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b07b8b3dc38ecc4ebae97ddd87f3d8985"),
    ]),
    // FIPS 180-4 examples (NIST CSRC).
    ("sha512", &[
        (Text(""), "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"),
        (Text("abc"), "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
        (LONG, "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909"),
        (MILLION, "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973ebde0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b"),
    ]),
    // FIPS 180-4 examples (NIST CSRC).
    ("sha512-256", &[
        (Text(""), "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a"),
        (Text("abc"), "53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23"),
        (LONG, "3928e184fb8690f840da3988121d31be65cb9d3ef83ee6146feac861e19b563a"),
        (MILLION, "9a59a052930187a97038cae692f30708aa6491923ef5194394dc68d56c74fb21"),
    ]),
    // FIPS 202 examples (NIST CSRC), Keccak team: million a.
    ("sha3-224", &[
        (Text(""), "6b4e03423667dbb73b6e15454f0eb1abd4597f9a1b078e3f5b5a6bc7"),
        (Text("abc"), "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
        (SHORT, "8a24108b154ada21c9fd5574494479ba5c7e7ab76ef264ead0fcce33"),
        (MILLION, "d69335b93325192e516a912e6d19a15cb51c6ed5c15243e7a7fd653c"),
    ]),
    // FIPS 202 examples (NIST CSRC), Keccak team: million a.
    ("sha3-256", &[
        (Text(""), "a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a"),
        (Text("abc"), "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        (SHORT, "41c0dba2a9d6240849100376a8235e2c82e1b9998a999e21db32dd97496d3376"),
        (MILLION, "5c8875ae474a3634ba4fd55ec85bffd661f32aca75c6d699d0cdcb6c115891c1"),
    ]),
    // FIPS 202 examples (NIST CSRC), Keccak team: million a.
    ("sha3-384", &[
        (Text(""), "0c63a75b845e4f7d01107d852e4c2485c51a50aaaa94fc61995e71bbee983a2ac3713831264adb47fb6bd1e058d5f004"),
        (Text("abc"), "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"),
        (SHORT, "991c665755eb3a4b6bbdfb75c78a492e8c56a22c5c4d7e429bfdbc32b9d4ad5aa04a1f076e62fea19eef51acd0657c22"),
        (MILLION, "eee9e24d78c1855337983451df97c8ad9eedf256c6334f8e948d252d5e0e76847aa0774ddb90a842190d2c558b4b8340"),
    ]),
    // FIPS 202 examples (NIST CSRC), Keccak team: million a.
    ("sha3-512", &[
        (Text(""), "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a615b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26"),
        (Text("abc"), "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"),
        (SHORT, "04a371e84ecfb5b8b77cb48610fca8182dd457ce6f326a0fd3d7ec2f1e91636dee691fbe0c985302ba1b0d8dc78c086346b533b49c030d99a27daf1139d6e75e"),
        (MILLION, "3c3a876da14034ab60627c077bb98f7e120a2a5370212dffb3385a18d4f38859ed311d0a9d5141ce9cc5c66ee689b266a8aa18ace8282a0e0db596c90b0a7b87"),
    ]),
    // FIPS 202 examples (NIST CSRC); the longer ones by Python hashlib.
    ("shake128", &[
        (Text(""), "7f9c2ba4e88f827d616045507605853ed73b8093f6efbc88eb1a6eacfa66ef26"),
        (Text("abc"), "5881092dd818bf5cf8a3ddb793fbcba74097d5c526a6d35f97b83351940f2cc8"),
        (SHORT, "1a96182b50fb8c7e74e0a707788f55e98209b8d91fade8f32f8dd5cff7bf21f5"),
        (MILLION, "9d222c79c4ff9d092cf6ca86143aa411e369973808ef97093255826c5572ef58"),
    ]),
    // FIPS 202 examples (NIST CSRC); the longer ones by Python hashlib.
    ("shake256", &[
        (Text(""), "46b9dd2b0ba88d13233b3feb743eeb243fcd52ea62b81b82b50c27646ed5762fd75dc4ddd8c0f200cb05019d67b592f6fc821c49479ab48640292eacb3b7c4be"),
        (Text("abc"), "483366601360a8771c6863080cc4114d8db44530f8f1e1ee4f94ea37e78b5739d5a15bef186a5386c75744c0527e1faa9f8726e462a12a4feb06bd8801e751e4"),
        (SHORT, "4d8c2dd2435a0128eefbb8c36f6f87133a7911e18d979ee1ae6be5d4fd2e332940d8688a4e6a59aa8060f1f9bc996c05aca3c696a8b66279dc672c740bb224ec"),
        (MILLION, "3578a7a4ca9137569cdf76ed617d31bb994fca9c1bbf8b184013de8234dfd13a3fd124d4df76c0a539ee7dd2f6e1ec346124c815d9410e145eb561bcd97b18ab"),
    ]),
    // RFC 7693, A; the others by the reference b2sum.
    ("blake2b-512", &[
        (Text(""), "786a02f742015903c6c6fd852552d272912f4740e15847618a86e217f71f5419d25e1031afee585313896444934eb04b903a685b1448b755d56f701afe9be2ce"),
        (Text("abc"), "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d17d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"),
        (SHORT, "7285ff3e8bd768d69be62b3bf18765a325917fa9744ac2f582a20850bc2b1141ed1b3e4528595acc90772bdf2d37dc8a47130b44f33a02e8730e5ad8e166e888"),
        (MILLION, "98fb3efb7206fd19ebf69b6f312cf7b64e3b94dbe1a17107913975a793f177e1d077609d7fba363cbba00d05f7aa4e4fa8715d6428104c0a75643b0ff3fd3eaf"),
    ]),
    // By the reference b2sum -l 256.
    ("blake2b-256", &[
        (Text(""), "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"),
        (Text("abc"), "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"),
        (SHORT, "5f7a93da9c5621583f22e49e8e91a40cbba37536622235a380f434b9f68e49c4"),
        (MILLION, "0741850f36cba4259628355d1073e24ddb9ca0e1bfac36fd39ae5dc2101e23a4"),
    ]),
    // RFC 7693, B; the others by the reference b2sum.
    ("blake2s-256", &[
        (Text(""), "69217a3079908094e11121d042354a7c1f55b6482ca1a51e1b250dfd1ed0eef9"),
        (Text("abc"), "508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982"),
        (SHORT, "6f4df5116a6f332edab1d9e10ee87df6557beab6259d7663f3bcd5722c13f189"),
        (MILLION, "bec0c0e6cde5b67acb73b81f79a67a4079ae1c60dac9d2661af18e9f8b50dfa5"),
    ]),
    // Test_vectors.json of the BLAKE3 project (message bytes 0 to 250 repeated); abc by b3sum.
    ("blake3", &[
        (Text(""), "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262"),
        (Text("abc"), "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"),
        (Pattern(1), "2d3adedff11b61f14c886e35afa036736dcd87a74d27b5c1510225d0f592e213"),
        (Pattern(1024), "42214739f095a406f3fc83deb889744ac00df831c10daa55189b5d121c855af7"),
        (Pattern(1025), "d00278ae47eb27b34faecf67b4fe263f82d5412916c1ffd97c8cb7fb814b8444"),
        (Pattern(102400), "bc3e3d41a1146b069abffad3c0d44860cf664390afce4d9661f7902e7943e085"),
    ]),
    // The authors' page, homes.esat.kuleuven.be/~bosselae/ripemd160.html.
    ("ripemd160", &[
        (Text(""), "9c1185a5c5e9fc54612808977ee8f548b2258d31"),
        (Text("abc"), "8eb208f7e05d987a9b044a8e98c6b087f15a0bfc"),
        (Text("message digest"), "5d0689ef49d2fae572b881b123a85ffa21595f36"),
        (SHORT, "12a053384a9c0c88e405a06c27dcf49ada62eb2b"),
        (MILLION, "52783243c1697bdbe16d37f97f68f08325dc1528"),
    ]),
    // NESSIE test vectors; hashdeep and rhash.
    ("tiger", &[
        (Text(""), "3293ac630c13f0245f92bbb1766e16167a4e58492dde73f3"),
        (Text("abc"), "2aab1484e8c158f2bfb8c5ff41b57a525129131c957b5f93"),
        (Text("message digest"), "d981f8cb78201a950dcf3048751e441c517fca1aa55a29f6"),
        (SHORT, "0f7bf9a19b9c58f2b7610df7e84f0ac3a71c631e7b53f78e"),
        (MILLION, "6db0e2729cbead93d715c6a7d36302e9b3cee0d2bc314b41"),
    ]),
    // ISO/IEC 10118-3, NESSIE test vectors.
    ("whirlpool", &[
        (Text(""), "19fa61d75522a4669b44e39c1d2e1726c530232130d407f89afee0964997f7a73e83be698b288febcf88e3e03c4f0757ea8964e59b63d93708b138cc42a66eb3"),
        (Text("abc"), "4e2448a4c6f486bb16b6562c73b4020bf3043e3a731bce721ae1b303d97e6d4c7181eebdb6c57e277d0e34957114cbd6c797fc9d95d8b582d225292076d4eef5"),
        (Text("message digest"), "378c84a4126e2dc6e56dcc7458377aac838d00032230f53ce1f5700c0ffb4d3b8421557659ef55c106b4b52ac5a4aaa692ed920052838f3362e86dbd37a8903e"),
        (MILLION, "0c99005beb57eff50a7cf005560ddf5d29057fd86b20bfd62deca0f1ccea4af51fc15490eddc47af32bb2b66c34ff9ad8c6008ad677f77126953b226e4ed8b01"),
    ]),
    // GB/T 32905-2016, A.1, A.2 (abc, abcd 16 times); the others by OpenSSL.
    ("sm3", &[
        (Text(""), "1ab21d8355cfa17f8e61194831e81a8f22bec8c728fefb747ed035eb5082aa2b"),
        (Text("abc"), "66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0"),
        (Repeat("abcd", 16), "debe9ff92275b8a138604889c18e5a4d6fdb70e5387e5765293dcba39c0c5732"),
        (MILLION, "c8aaf89429554029e231941a2acc0ad61ff2a5acd8fadd25847a3a732b3b02c3"),
    ]),
    // RFC 6986, 10 (M1, M2); empty: gost-engine.
    ("streebog256", &[
        (Text(""), "3f539a213e97c802cc229d474c6aa32a825a360b2a933a949fd925208d9ce1bb"),
        (M1, "9d151eefd8590b89daa6ba6cb74af9275dd051026bb149a452fd84e5e57b5500"),
        (M2, "9dd2fe4e90409e5da87f53976d7405b0c0cac628fc669a741d50063c557e8f50"),
        (MILLION, "841af1a0b2f92a800fb1b7e4aabc8e48763153c448a0fc57c90ba830e130f152"),
    ]),
    // RFC 6986, 10 (M1, M2); empty: gost-engine.
    ("streebog512", &[
        (Text(""), "8e945da209aa869f0455928529bcae4679e9873ab707b55315f56ceb98bef0a7362f715528356ee83cda5f2aac4c6ad2ba3a715c1bcd81cb8e9f90bf4c1c1a8a"),
        (M1, "1b54d01a4af5b9d5cc3d86d68d285462b19abc2475222f35c085122be4ba1ffa00ad30f8767b3a82384c6574f024c311e2a481332b08ef7f41797891c1646f48"),
        (M2, "1e88e62226bfca6f9994f1f2d51569e0daf8475a3b0fe61a5300eee46d961376035fe83549ada2b8620fcd7c496ce5b33f0cb9dddc2b6460143b03dabac9fb28"),
        (MILLION, "d396a40b126b1f324465bfa7aa159859ab33fac02dcdd4515ad231206396a266d0102367e4c544ef47d2294064e1a25342d0cd25ae3d904b45abb1425ae41095"),
    ]),
    // RFC 9861, 5 (message bytes 0 to 250 repeated).
    ("kangarootwelve", &[
        (Text(""), "1ac2d450fc3b4205d19da7bfca1b37513c0803577ac7167f06fe2ce1f0ef39e5"),
        (Pattern(1), "2bda92450e8b147f8a7cb629e784a058efca7cf7d8218e02d345dfaa65244a1f"),
        (Pattern(17), "6bf75fa2239198db4772e36478f8e19b0f371205f6a9a93a273f51df37122888"),
        (Pattern(289), "0c315ebcdedbf61426de7dcf8fb725d1e74675d7f5327a5067f367b108ecb67c"),
        (Pattern(4913), "cb552e2ec77d9910701d578b457ddf772c12e322e4ee7fe417f92c758f0d59d0"),
        (Pattern(83521), "8701045e22205345ff4dda05555cbb5c3af1a771c2b89baef37db43d9998b9fe"),
        (Pattern(1419857), "844d610933b1b9963cbdeb5ae3b6b05cc7cbd67ceedf883eb678a0a8e0371682"),
        (Pattern(24137569), "3c390782a8a4e89fa6367f72feaaf13255c8d95878481d3cd8ce85f58e880af8"),
        (Pattern(8191), "1b577636f723643e990cc7d6a659837436fd6a103626600eb8301cd1dbe553d6"),
        (Pattern(8192), "48f256f6772f9edfb6a8b661ec92dc93b95ebd05a08a17b39ae3490870c926c3"),
    ]),
    // By sha256sum twice.
    ("sha256d", &[
        (Text(""), "5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456"),
        (Text("abc"), "4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358"),
        (MILLION, "80d1189477563e1b5206b2749f1afe4807e5705e8bd77887a60187a712156688"),
    ]),
    // By b3sum twice.
    ("blake3d", &[
        (Text(""), "82878ed8a480ee41775636820e05a934ca5c747223ca64306658ee5982e6c227"),
        (Text("abc"), "dc2f738d17b8a7ec03efdd0a95e8d3924b8e05965040ab6dcafd992994012bd4"),
        (Pattern(102400), "87786a06a2885941faa03df4886d2a953d9d60890ac379d1b074f523add63a7f"),
    ]),
    // Check value of the CRC catalogue (CRC-32/ISO-HDLC); the others by zlib.
    ("crc32", &[
        (Text(""), "00000000"),
        (Text("123456789"), "cbf43926"),
        (Text("abc"), "352441c2"),
        (MILLION, "dc25bfbc"),
    ]),
    // Check value of the CRC catalogue (CRC-32/ISCSI); RFC 3720, B.4 (32 zeros); the others by rhash.
    ("crc32c", &[
        (Text(""), "00000000"),
        (Text("123456789"), "e3069283"),
        (Repeat("\0", 32), "8a9136aa"),
        (MILLION, "436fe240"),
    ]),
    // Check value of the CRC catalogue (CRC-64/XZ); the others by a bitwise reference.
    ("crc64", &[
        (Text(""), "0000000000000000"),
        (Text("123456789"), "995dc9bbdf1939fa"),
        (Text("abc"), "2cd8094a1a277627"),
        (MILLION, "7a0d29398112e1ba"),
    ]),
    // By coreutils cksum.
    ("cksum", &[
        (Text(""), "4294967295"),
        (Text("123456789"), "930766865"),
        (Text("abc"), "1219131554"),
        (MILLION, "3401932319"),
    ]),
    // The example of many texts (Wikipedia); the others by zlib.
    ("adler32", &[
        (Text(""), "00000001"),
        (Text("Wikipedia"), "11e60398"),
        (Text("abc"), "024d0127"),
        (MILLION, "15d870f9"),
    ]),
    // By xxhsum 0.8.1.
    ("xxh32", &[
        (Text(""), "02cc5d05"),
        (Text("abc"), "32d153ff"),
        (SHORT, "89ea60c3"),
        (MILLION, "e1155920"),
    ]),
    // By xxhsum 0.8.1.
    ("xxh64", &[
        (Text(""), "ef46db3751d8e999"),
        (Text("abc"), "44bc2cf5ad770999"),
        (SHORT, "f06103773e8585df"),
        (MILLION, "dc483aaa9b4fdc40"),
    ]),
    // By xxhsum 0.8.1.
    ("xxh3", &[
        (Text(""), "2d06800538d394c2"),
        (Text("abc"), "78af5f94892f3950"),
        (SHORT, "5bbcbbabcdcc3d3f"),
        (Pattern(200), "f42a8864feaf0703"),
        (MILLION, "b1fd6fae5285c4eb"),
    ]),
    // By xxhsum 0.8.1.
    ("xxh128", &[
        (Text(""), "99aa06d3014798d86001c324468d497f"),
        (Text("abc"), "06b05ab6733a618578af5f94892f3950"),
        (SHORT, "3d62d22a5169b016c0d894fd4828a1a7"),
        (Pattern(200), "cb0395310643ba0edd97e9af3609d9f5"),
        (MILLION, "a545df8e384a9579b1fd6fae5285c4eb"),
    ]),
];

#[test]
fn published_vectors() {
    for (name, vectors) in VECTORS {
        let algorithm = find(name).unwrap();
        for (number, (message, expected)) in vectors.iter().enumerate() {
            let digest = hash(algorithm, &message.bytes());
            assert_eq!(algorithm.format(&digest), *expected, "{name}, vector {number}");
        }
    }
}

/// Returns the vectors of a file beside this one: algorithm, recipe for the input, text.
fn stored() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines = include_str!("blocks.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let fields: Vec<_> = line.split(' ').collect();
        (fields[0], fields[1], fields[2])
    })
}

/// Makes the input of a stored vector.
fn made(recipe: &str) -> Vec<u8> {
    let hex = |text: &str| -> Vec<u8> {
        text.as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect()
    };
    let (kind, rest) = recipe.split_once(':').unwrap();
    match (kind, rest.split_once(':')) {
        ("hex", _) => hex(rest),
        ("count", _) => Pattern(rest.parse().unwrap()).bytes(),
        ("byte", Some((byte, times))) => vec![byte.parse().unwrap(); times.parse().unwrap()],
        ("runs", Some((text, runs))) => {
            let text = hex(text);
            let run = |(turn, times): (usize, &str)| {
                if turn % 2 == 0 { &text[..] } else { &[0] }.repeat(times.parse().unwrap())
            };
            runs.split_terminator(',').enumerate().flat_map(run).collect()
        }
        _ => panic!("{recipe}"),
    }
}

#[test]
fn stored_vectors() {
    for (name, recipe, text) in stored() {
        let (algorithm, message) = (find(name).unwrap(), made(recipe));
        let digest = hash(algorithm, &message);
        assert_eq!(algorithm.format(&digest), text, "{name} of {} bytes", message.len());
        assert_eq!(algorithm.parse(text.as_bytes()), Ok(digest), "{name}");
    }
}

#[test]
fn every_row_has_vectors() {
    for row in ALGORITHMS {
        let vectors =
            VECTORS.iter().find(|(name, _)| *name == row.name).map_or(0, |(_, vectors)| vectors.len());
        let stored = stored().filter(|(name, ..)| find(name) == Ok(row)).count();
        assert!(vectors + stored >= 3, "{}", row.name);
    }
}

#[test]
fn usual_text_is_read_back() {
    for (name, vectors) in VECTORS {
        let algorithm = find(name).unwrap();
        for (message, text) in *vectors {
            assert_eq!(algorithm.parse(text.as_bytes()), Ok(hash(algorithm, &message.bytes())), "{name}");
        }
    }
}
