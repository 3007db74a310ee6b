import CarillonModel
import CarillonOperatorModel

extension OverviewView {
    /// The checklist of the first use; a step that waits has a button when it is one press.
    static func tasks(
        _ model: Overview.Model,
        as role: OperatorRole,
        _ paths: AppPath,
        _ texts: Texts
    ) -> [Task] {
        let app = model.app
        func task(_ name: String, _ isDone: Bool, _ path: String?) -> Task {
            Task(
                taskWords: texts.word("overview.task", name),
                isDone: isDone,
                taskState: texts(isDone ? "overview.done" : "overview.toDo"),
                taskPath: path,
                taskHint: isDone ? nil : texts.word("overview.hint", name)
            )
        }
        var key = task("key", app.hasPushKey, role >= .admin ? paths.apns : nil)
        if !app.hasPushKey, role >= .admin {
            (key.taskAction, key.taskButton) = (paths.home + "/simulator", texts("overview.useSimulator"))
        }
        var device = task("device", model.hasDevices, paths.devices)
        if app.usesSimulator, !model.hasDevices, role >= .editor {
            (device.taskAction, device.taskButton) = (paths.home + "/phones", texts("overview.addPhone"))
        }
        let test = model.phone.map { task("phone", $0.hasMessages, PhonePage.path($0.id, of: app.id)) }
        let campaign = task("campaign", !model.latest.isEmpty, paths.campaigns)
        return pointed([key, device, test, campaign].compactMap(\.self), texts)
    }

    /// The same with an important button on the first step that waits.
    private static func pointed(_ tasks: [Task], _ texts: Texts) -> [Task] {
        guard let next = tasks.firstIndex(where: { !$0.isDone }) else { return tasks }
        var tasks = tasks
        if next > 0, tasks[next].taskAction != nil {
            tasks[next].isNext = true
        } else if let path = tasks[next].taskPath {
            // A key is set on its own page; the simulator that takes its place is the other button.
            (tasks[next].nextPath, tasks[next].nextWords) = (path, tasks[next].taskWords)
        }
        return tasks
    }
}
