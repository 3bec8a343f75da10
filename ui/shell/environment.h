// GUI thread; asked once on a worker thread at the start. Versions, device, threads, and what slows them down.
#pragma once

#include "engine/train/training_session.h"

#include <QObject>

#include <thread>

namespace athanor {

class Environment : public QObject {
    Q_OBJECT
public:
    explicit Environment(QObject* parent = nullptr); ///< begins to ask
    ~Environment() override;                         ///< waits for the answer

    [[nodiscard]] bool isKnown() const { return m_known; }
    [[nodiscard]] const Json& report() const { return m_report; } ///< of environmentReport()
    [[nodiscard]] const std::vector<Problem>& problems() const { return m_problems; }
    [[nodiscard]] int threads() const; ///< that training uses; 0: not known yet

Q_SIGNALS:
    void known();

private:
    Json m_report = Json::object();
    std::vector<Problem> m_problems;
    bool m_known = false;
    std::jthread m_thread;
};

} // namespace athanor
