import SampledFunArt
import Testing

/// Who uses 瘋藝文, and the screen for signing in.
@MainActor
struct FunArtAccountTests {
    private let world = FunArtWorld()

    private func app(_ person: Person? = Person(displayName: "alice")) async -> FunArtModel {
        world.answer { $0.person = person }
        let app = FunArtModel(world.services)
        await app.start()
        return app
    }

    @Test("M-90 A guest signs in first, whatever the guest's name is; a person sees the kinds")
    func starts() async {
        #expect(await app(nil).state.place == .signIn)
        #expect(await app(Person(displayName: "alice", isGuest: true)).state.place == .signIn)
        #expect(await app(Person(displayName: "Guest")).state.place == .kinds)
        #expect(world.asked == ["refresh", "refresh", "refresh"])
    }

    @Test("M-90 Without a network the app starts with the screen for signing in, and says why")
    func startsWithoutNetwork() async {
        world.answer { $0.failure = Failure(.unreachable) }
        let app = await app()
        #expect(app.state.place == .signIn)
        #expect(app.state.failure?.reason == .unreachable)
    }

    @Test("M-90 Who is signed in sees the kinds without a network too, and that these are the last answers")
    func startsOffline() async {
        world.answer { answers in
            answers.failure = Failure(.unreachable)
            answers.known = Person(displayName: "alice")
        }
        let app = await app()
        #expect(app.state.place == .kinds && app.state.isOffline)
        #expect(app.state.person?.displayName == "alice")
        #expect(app.state.failure?.reason == .unreachable)

        world.answer { $0.failure = nil }
        await app.didBecomeActive()
        #expect(app.state.place == .kinds && !app.state.isOffline)

        // A guest whom the phone knows has to sign in all the same.
        world.answer { answers in
            answers.failure = Failure(.unreachable)
            answers.known = Person(displayName: "Guest", isGuest: true)
        }
        await app.start()
        #expect(app.state.place == .signIn && !app.state.isOffline)
    }

    @Test("M-90 A session that has ended is over at the start, whoever the phone knows")
    func startsSignedOut() async {
        world.answer { answers in
            answers.failure = Failure(.signedOut)
            answers.known = Person(displayName: "alice")
        }
        #expect(await app().state.place == .signIn)
    }

    @Test("M-91 Back in the foreground the app asks again: a guest signs in, and without a network nothing changes")
    func comesBack() async {
        let app = await app()
        world.answer { $0.failure = Failure(.unreachable) }
        await app.didBecomeActive()
        #expect(app.state.place == .kinds)

        world.answer { ($0.failure, $0.person) = (nil, nil) }
        await app.didBecomeActive()
        #expect(app.state.place == .signIn)
    }

    @Test("M-92 An empty field or two different passwords ask nobody, and the alert says so")
    func checksFields() async {
        let screen = await app(nil).signIn()
        await screen.submit()
        #expect(screen.state.problem == .emptyField)
        screen.edit { ($0.mode, $0.name, $0.password) = (.signUp, "alice", "correct horse") }
        await screen.submit()
        #expect(screen.state.problem == .emptyField)
        screen.edit { $0.passwordAgain = "correct cow" }
        await screen.submit()
        #expect(screen.state.problem == .differentPasswords)
        #expect(world.asked == ["refresh"])
        #expect(Texts.chinese.text(of: .emptyField) == "帳號或密碼不得為空")
        #expect(Texts.chinese.alertTitle(.signIn) == "登入錯誤")
        #expect(Texts.chinese.alertTitle(.signUp) == "註冊錯誤")
    }

    @Test("M-92 The server's refusal and a missing network show in the same alert, and the fields work again")
    func showsFailures() async {
        let app = await app(nil)
        let screen = app.signIn()
        var waiting: [Bool] = []
        screen.onChange = { waiting.append($0.isWaiting) }
        for failure in [Failure(.wrongNameOrPassword), Failure(.unreachable), Failure(.refused, message: "No.")] {
            world.answer { $0.failure = failure }
            screen.edit { ($0.name, $0.password) = ("alice", "correct horse") }
            await screen.submit()
            #expect(screen.state.problem == .failure(failure))
            #expect(!screen.state.isWaiting)
        }
        #expect(waiting.contains(true))
        #expect(Texts.chinese.text(of: Failure(.refused, message: "No.")) == "No.")
        #expect(app.state.place == .signIn)
    }

    @Test("M-92 While the server is asked the fields cannot be changed, and nothing is sent twice")
    func waits() async {
        let screen = await app(nil).signIn()
        screen.edit { ($0.name, $0.password) = ("alice", "correct horse") }
        screen.onChange = { [weak screen] state in
            guard state.isWaiting else { return }
            screen?.edit { $0.name = "bob" }
        }
        await screen.submit()
        #expect(screen.state.name == "alice")
        #expect(world.asked == ["refresh", "signIn alice correct horse"])
        #expect(screen.state.password.isEmpty)
    }

    @Test("M-92 Who signs in or up sees the kinds", arguments: [SignInState.Mode.signIn, .signUp])
    func signsIn(mode: SignInState.Mode) async {
        let app = await app(nil)
        let screen = app.signIn()
        screen.edit { state in
            state.mode = mode
            (state.name, state.password, state.passwordAgain) = ("alice", "correct horse", "correct horse")
        }
        await screen.submit()
        #expect(app.state.place == .kinds)
        #expect(app.state.person?.displayName == "alice")
    }

    @Test("M-102 Signing out leads to the screen for signing in, whatever the server says")
    func signsOut() async {
        let app = await app()
        world.answer { $0.failure = Failure(.unreachable) }
        await app.signOut()
        #expect(app.state.place == .signIn)
        #expect(app.state.person == nil)
    }

    @Test("M-103 A session that ends during use leads to the screen for signing in")
    func sessionEnds() async {
        let app = await app()
        world.answer { $0.failure = Failure(.unreachable) }
        await app.list(.music).load()
        #expect(app.state.place == .kinds)
        world.answer { $0.failure = Failure(.signedOut) }
        await app.list(.music).load()
        #expect(app.state.place == .signIn)
    }

    @Test("A tapped notification opens its event once, and only for who is signed in")
    func opensEvent() async {
        let app = await app(nil)
        app.open(event: "e1")
        #expect(app.takeOpenedEvent() == nil)
        app.didSignIn(Person(displayName: "alice"))
        #expect(app.takeOpenedEvent() == "e1")
        #expect(app.takeOpenedEvent() == nil)
    }

    @Test("The language is the first of the person's that the app has, and Chinese otherwise")
    func chooses() {
        #expect(Language(preferred: ["en-GB", "zh-TW"]) == .english)
        #expect(Language(preferred: ["ja", "zh-TW", "en"]) == .chinese)
        #expect(Language(preferred: ["ja", "en"]) == .english)
        #expect(Language(preferred: []) == .chinese)
    }

    @Test("Every text is there in both languages, and none is the same but names and signs")
    func texts() {
        let chinese = Mirror(reflecting: Texts.chinese).children
        let english = Mirror(reflecting: Texts.english).children
        var same: Set<String> = []
        for (one, other) in zip(chinese, english) where "\(one.value)" == "\(other.value)" {
            same.insert(one.label ?? "")
        }
        #expect(same == ["notAvailable"])
        #expect(Texts.english.kindNames.count == 9 && Texts.chinese.kindNames.count == 9)
        #expect(Texts.english.periodNames.count == 4 && Texts.chinese.periodNames.count == 4)
    }
}
