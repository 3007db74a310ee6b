import CarillonAccountModel
import CarillonModel
import CarillonOperatorModel
import Crypto
import Testing

@testable import CarillonEngine

/// Names, passwords, tokens and limits, as values.
struct AccountValueTests {
    private func key(_ text: String) throws -> String { try AccountName(text).key }

    @Test("Names that differ in case, width or composition are one")
    func isOneName() throws {
        let same = [
            ("Alice", "alice"), ("user@Example.COM", "USER@example.com"), ("Ａｌｉｃｅ", "alice"),
            ("Jos\u{E9}", "jose\u{301}"), ("ﬁnn", "finn"), ("ΣΟΦΟΣ", "σοφος"),
            ("소민", "\u{1109}\u{1169}\u{1106}\u{1175}\u{11AB}"), ("\u{1D41A}lice", "alice"),
        ]
        for (first, second) in same { #expect(try key(first) == key(second), "\(first) \(second)") }
        #expect(try key("小明") != key("小名"))
        #expect(try AccountName("Alice").text == "Alice")
        // A key is its own key.
        for (first, _) in same { #expect(AccountName.key(of: try key(first)) == (try key(first))) }
    }

    @Test(
        "Names that cannot be told apart by sight are refused",
        arguments: [
            "", " alice", "alice ", "\u{A0}alice", "al\u{200B}ice", "al\u{AD}ice", "ali\u{202E}ce", "a\u{0}b",
            "al\nice",
            "\u{3164}", "al\u{FE0F}ice", "\u{E000}", String(repeating: "a", count: 129),
            // Composes to 18 characters each, which is more than a key may have.
            String(repeating: "\u{FDFA}", count: 128),
        ]
    )
    func refusesName(_ text: String) {
        #expect(throws: FieldError.self) { try AccountName(text) }
        #expect(AccountName(named: text) == nil)
    }

    @Test(
        "Names with letters of several scripts are refused, and found if there is one from before",
        // Letters of mathematics, Kelvin's sign and a Roman number compose to Latin ones.
        arguments: ["pаypal", "αlice", "\u{1D41A}лиса", "\u{212A}ирилл", "\u{2160}\u{3C9}", "ⓐлиса"]
    )
    func refusesMixedScripts(_ text: String) {
        #expect(throws: FieldError.self) { try AccountName(text) }
        #expect(AccountName(named: text)?.key == AccountName.key(of: text))
    }

    @Test(
        "Names of one script are allowed, with digits and signs",
        arguments: [
            "алиса@почта.рф", "σοφία-1", "o'Neil 2", "小明", "김하나", "µ-tester", "Склад №1", "Ромашка™", "Ωμέγα ㎏ ℡",
            "№ 5",
        ]
    )
    func allowsName(_ text: String) throws {
        let name = try AccountName(text)
        #expect(name.text == text && AccountName(named: text) == name)
    }

    @Test("A sign is the letters that it stands for") func readsSigns() throws {
        #expect(try key("Acme™ №5") == key("acmetm no5"))
    }

    @Test("The name that others see is what stands before the at sign")
    func showsName() throws {
        #expect(try AccountName("alice.b@example.com").display == "alice")
        #expect(try AccountName("Alice B. Carter").display == "Alice B. Carter")
        #expect(try AccountName("@alice").display == "@alice")
        #expect(try AccountName(".@a").display == ".@a")
        #expect(try AccountName(String(repeating: "b", count: 100)).display.count == 64)
        #expect(try AccountName("alice @example.com").display == "alice")
        #expect(try AccountName(String(repeating: "b", count: 63) + " c").display.count == 63)
    }

    @Test(
        "The name that others see has something to see, one line, and no characters that turn the text around it",
        arguments: ["", " ", "\u{200B}\u{200D}", "a\nb", "a\u{2028}b", "a\u{202E}b", "\u{2067}a", "a\u{0}"]
    )
    func refusesDisplayName(_ text: String) {
        #expect(AccountLimits.problem(ofDisplayName: text) != nil)
    }

    @Test(
        "The name that others see may have signs that consist of several characters",
        arguments: ["Al 👩‍👩‍👧", "آلیس", "a b"]
    )
    func allowsDisplayName(_ text: String) { #expect(AccountLimits.problem(ofDisplayName: text) == nil) }

    @Test(
        "M-22 A password is salted as the vendor's apps do",
        arguments: [
            ("alice", "secret", "4458181e25ee28c136b342effebfdf1e2b7c6652"),
            ("guest01", "Passw0rd!", "dbdd4d0a77395956198c339c33593f79a1d4ea56"),
            ("user@example.com", "p@ss word", "cd9b82efd92e9bac71d53c7a6fba8fd6f8bdfbe8"),
            ("小明", "密碼123", "9b9b379ddbf42e9d4b05ee330bc53ab75b8b211f"),
        ]
    )
    func salts(_ name: String, _ password: String, _ sent: String) throws {
        #expect(SaltedPassword(password, name: name).text == sent)
        #expect(SaltedPassword(text: sent.uppercased()) == SaltedPassword(password, name: name))
        #expect(SaltedPassword(text: String(sent.dropLast())) == nil)
        #expect(SaltedPassword(text: String(sent.dropLast()) + "g") == nil)
        let stored = try AccountName(name)
        let salted = try #require(SaltedPassword(text: sent))
        #expect(AccountPassword.plain(password).salted(with: stored) == salted)
        #expect(AccountPassword.salted(salted).salted(with: stored) == salted)
    }

    @Test("M-42 A hash has its parameters and a salt of its own, and is not what arrived")
    func hashes() throws {
        let small = PasswordHash.Parameters(logRounds: 10, blockSize: 8, parallelism: 1)
        let password = SaltedPassword("secret", name: "alice")
        let first = try PasswordHash(password, salt: [UInt8](repeating: 1, count: 16), parameters: small)
        let second = try PasswordHash(password, salt: [UInt8](repeating: 2, count: 16), parameters: small)
        #expect(first.bytes.count == 52 && first.bytes != second.bytes)
        #expect(first.bytes.suffix(32) != second.bytes.suffix(32))
        #expect(try first.matches(password))
        #expect(try !first.matches(SaltedPassword("secreT", name: "alice")))
        let read = try #require(PasswordHash(bytes: first.bytes))
        #expect(read == first && read.parameters == small)
        #expect(try read.matches(password))
        for (place, value) in [(0, 2), (1, 9), (1, 21), (2, 0), (2, 17), (3, 0)] as [(Int, UInt8)] {
            var bytes = first.bytes
            bytes[place] = value
            #expect(PasswordHash(bytes: bytes) == nil, "\(place) \(value)")
        }
        #expect(PasswordHash(bytes: []) == nil && PasswordHash(bytes: Array(first.bytes.dropLast())) == nil)
    }

    @Test("The digest is that of scrypt, as RFC 7914 has it")
    func isScrypt() throws {
        // scrypt(P, S, N, r, p, 32) by Python's hashlib.
        let password = try #require(SaltedPassword(text: "4458181e25ee28c136b342effebfdf1e2b7c6652"))
        let hash = try PasswordHash(
            password,
            salt: Array(0..<16),
            parameters: .init(logRounds: 10, blockSize: 8, parallelism: 1)
        )
        let digest = hash.bytes.suffix(32).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        #expect(digest == "445e11e7b5a480ad97c3168ec200cc05d4bef5338f344029822c61ce3cc7349c")
    }

    private func token(_ state: StoredAccountToken.State, replacedAt: Int64? = nil) throws -> StoredAccountToken {
        StoredAccountToken(
            user: try #require(UserID(rawValue: "u")),
            session: 1,
            state: state,
            createdAt: Timestamp(rawValue: 0),
            expiresAt: Timestamp(rawValue: 4_000_000),
            replacedAt: replacedAt.map(Timestamp.init(rawValue:))
        )
    }

    @Test("M-41 A token is valid to its end, and renewed in the last quarter of its life")
    func usesToken() throws {
        let current = try token(.current)
        func use(_ token: StoredAccountToken, _ now: Int64, next: Int64? = nil) -> AccountTokenUse {
            token.use(at: Timestamp(rawValue: now), next: next.map(Timestamp.init(rawValue:)))
        }
        #expect(use(current, 0) == .valid && use(current, 2_999_999) == .valid)
        #expect(use(current, 3_000_000) == .renew && use(current, 3_999_999) == .renew)
        #expect(use(current, 4_000_000) == .expired)
        // Requests at the same time get one new token; when that was lost, there is another.
        #expect(use(current, 3_050_000, next: 3_000_000) == .valid)
        #expect(use(current, 3_060_000, next: 3_000_000) == .renew)
        #expect(use(try token(.next), 3_000_000) == .promote)
        #expect(use(try token(.next), 4_000_000) == .expired)
        let former = try token(.former, replacedAt: 3_000_000)
        #expect(use(former, 3_059_999) == .valid)
        #expect(use(former, 3_060_000) == .reused)
        #expect(use(former, 4_000_000) == .expired)
    }

    @Test("Attempts are a number at once, and one more after each interval")
    func countsAttempts() throws {
        let charge = AttemptCharge(subject: [], limit: AttemptLimit(burst: 3, interval: .seconds(10)))
        var time: Timestamp?
        for _ in 0..<3 { time = try charge.counted(time, at: Timestamp(rawValue: 1_000_000)).get() }
        #expect(time == Timestamp(rawValue: 1_030_000))
        #expect(charge.counted(time, at: Timestamp(rawValue: 1_000_000)) == .failure(AttemptWait(milliseconds: 10_000)))
        #expect(charge.counted(time, at: Timestamp(rawValue: 1_009_999)) == .failure(AttemptWait(milliseconds: 1)))
        time = try charge.counted(time, at: Timestamp(rawValue: 1_010_000)).get()
        #expect(time == Timestamp(rawValue: 1_040_000))
        #expect(charge.forgiven(Timestamp(rawValue: 1_040_000)) == Timestamp(rawValue: 1_030_000))
        // After a long time all are forgotten, and no more than the burst.
        #expect(try charge.counted(time, at: Timestamp(rawValue: 9_000_000)).get() == Timestamp(rawValue: 9_010_000))
    }

    @Test("Of attempts in an hour there are never more than the number", arguments: [1, 7, 130, 10_000, 1_000_000])
    func limitsHour(_ count: Int) {
        let limit = AttemptLimit(perHour: count)
        #expect(limit.burst == count && limit.interval >= 1)
        #expect(3_600_000 / limit.interval <= count)
    }

    @Test("Subjects of attempts differ by kind, name and App's key, and do not show the name")
    func hidesSubjects() {
        let (one, two) = (SymmetricKey(data: [1]), SymmetricKey(data: [2]))
        let limit = AttemptLimit(burst: 1, interval: .seconds(1))
        let all = [
            AttemptSubject.name("alice").charge(limit, key: one), AttemptSubject.name("bob").charge(limit, key: one),
            AttemptSubject.address("alice").charge(limit, key: one),
            AttemptSubject.name("alice").charge(limit, key: two),
            AttemptSubject.signUps("alice").charge(limit, key: one), AttemptSubject.allGuests.charge(limit, key: one),
            AttemptSubject.guests("alice").charge(limit, key: one),
        ].map(\.subject)
        #expect(Set(all).count == all.count && all.allSatisfy { $0.count == 16 })
    }
}
