import CarillonModel
import CarillonTestKit
import Foundation
import Testing

@testable import ToastPush

@Suite("TOAST Push's user tags")
struct TagTests {
    private let first = "ZZPP00b6"
    private let second = "ABCD1234"

    @Test("T-122 add, set, get, remove and remove all return what is documented")
    func changes() async throws {
        let phone = try await ToastPhone()
        await phone.setUser("u1")
        await phone.register()
        let first = first
        let second = second

        let added: Outcome<Set<String>> = await phone.call { ToastPush.addUserTag([first], completion: $0) }
        #expect(added.value == [first] && added.isOnMain)
        let both: Outcome<Set<String>> = await phone.call { ToastPush.addUserTag([second], completion: $0) }
        #expect(both.value == [first, second])
        let removed: Outcome<Set<String>> = await phone.call { ToastPush.removeUserTag([first], completion: $0) }
        #expect(removed.value == [second])
        #expect(await phone.callForError { ToastPush.setUserTag([first], completion: $0) }.code == nil)
        #expect(await phone.tags().value == [first])
        #expect(await phone.callForError { ToastPush.removeAllUserTag(completion: $0) }.code == nil)
        #expect(await phone.tags().value == [])
        #expect(phone.server.tags(of: "u1").isEmpty)
    }

    @Test("T-123 setUserTag(nil) clears")
    func clear() async throws {
        let phone = try await ToastPhone()
        await phone.setUser("u1")
        let first = first
        let _: Outcome<Set<String>> = await phone.call { ToastPush.addUserTag([first], completion: $0) }
        #expect(phone.server.tags(of: "u1") == [first])
        #expect(await phone.callForError { ToastPush.setUserTag(nil, completion: $0) }.code == nil)
        #expect(phone.server.tags(of: "u1").isEmpty)
    }

    @Test("T-124 without a user id every tag call fails with 2, and nothing is sent")
    func nobody() async throws {
        let phone = try await ToastPhone()
        await phone.register()
        let sent = phone.server.requests.count
        let first = first
        let added: Outcome<Set<String>> = await phone.call { ToastPush.addUserTag([first], completion: $0) }
        #expect(added.code == 2 && added.domain == ToastPushErrorDomain)
        #expect(await phone.tags().code == 2)
        #expect(await phone.callForError { ToastPush.setUserTag([first], completion: $0) }.code == 2)
        #expect(phone.server.requests.count == sent)
    }

    @Test("T-125 tags are ids of 8 letters and digits, not names")
    func ids() async throws {
        let phone = try await ToastPhone()
        await phone.setUser("u1")
        let name: Outcome<Set<String>> = await phone.call { ToastPush.addUserTag(["my favourite"], completion: $0) }
        #expect(name.code == 7)
        #expect(phone.server.tags(of: "u1").isEmpty)
    }

    @Test("Tags work without a device token, and belong to the user who was logged in when they were set")
    func tagsBelongToTheUser()
        async throws
    {
        let phone = try await ToastPhone(setup: { $0.allowsNotifications = false })
        let first = first
        await phone.phone.run {
            ToastSDK.setUserID("u1")
            ToastPush.addUserTag([first], completion: nil)
            ToastSDK.setUserID("u2")
        }
        await phone.finishSteps()
        #expect(phone.server.tags(of: "u1") == [first])
        #expect(phone.server.tags(of: "u2").isEmpty)
        #expect(phone.server.registrations.allSatisfy { $0.token == nil })
    }
}
